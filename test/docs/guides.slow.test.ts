import { test } from 'vitest';
import { makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { readDocument } from './documents.ts';
import { openTerminal } from './terminal.ts';
import { runWalk } from './walk.ts';

/** Guides in the same entry share a shell. */
const guides = [
  ['reviews'],
  ['change-requests'],
  ['comments'],
  ['read-pages'],
  ['spaces-and-pages', 'files-and-links'],
  ['pdf'],
  ['search'],
  ['organizations'],
  ['install-integrations'],
];

test.each(guides)('the commands of docs/guides/%s.md print the output that it shows', async (...names) => {
  const { url, makeSpace } = platform();
  const space = await makeSpace();
  await makePage(space, 'Introduction', '# Introduction\n\nOctavo is a documentation platform.\n');
  const terminal = await openTerminal(space);
  for (const name of names) await runWalk(terminal, readDocument(`docs/guides/${name}.md`), { url });
});
