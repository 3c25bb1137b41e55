import { test } from 'vitest';
import { platform } from '../support/platform.ts';
import { readDocument } from './documents.ts';
import { openTerminal } from './terminal.ts';
import { runWalk } from './walk.ts';

const documents = [
  'README',
  ...['first-site', 'from-your-docs', 'call-the-api'].map((name) => `docs/get-started/${name}`),
];

test.each(documents)('the commands of %s.md print the output that it shows', async (name) => {
  const { url, makeSpace } = platform();
  const terminal = await openTerminal(await makeSpace());
  await runWalk(terminal, readDocument(`${name}.md`), { url, skip: /^npm (?:start|test)/ });
});
