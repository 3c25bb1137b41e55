import { test } from 'vitest';
import { platform } from '../support/platform.ts';
import { documentAt } from './documents.ts';
import { openTerminal } from './terminal.ts';
import { runWalk } from './walk.ts';

const guides = ['publish', 'redirects', 'customize', 'adaptive-content', 'custom-domains', 'audiences'];

/** Replaces host names that other tests use, because host names are unique. */
const withOwnHosts = (text: string) =>
  text.replaceAll('docs.example.com', 'walk.example.com').replaceAll('www.example.com', 'walk-www.example.com');

test('the commands of the guides for a site print the output that they show', async () => {
  const { url, makeSpace } = platform();
  const terminal = await openTerminal(await makeSpace());
  for (const name of guides) await runWalk(terminal, withOwnHosts(documentAt(`docs/guides/${name}.md`)), { url });
});
