import { test } from 'vitest';
import { platform } from '../support/platform.ts';
import { readDocument } from './documents.ts';
import { openTerminal } from './terminal.ts';
import { runWalk } from './walk.ts';

const guides = ['publish', 'redirects', 'customize', 'adaptive-content', 'custom-domains', 'audiences'];

/** Replaces hostnames that other tests also use, because each hostname can be used only once. */
const replaceHosts = (text: string) =>
  text.replaceAll('docs.example.com', 'walk.example.com').replaceAll('www.example.com', 'walk-www.example.com');

test('the commands of the site guides print the output that the guides show', async () => {
  const { url, makeSpace } = platform();
  const terminal = await openTerminal(await makeSpace());
  for (const name of guides) await runWalk(terminal, replaceHosts(readDocument(`docs/guides/${name}.md`)), { url });
});
