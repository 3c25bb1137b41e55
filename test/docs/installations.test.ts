import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { blocksOf, documentAt, sectionOf } from './documents.ts';
import { openTerminal } from './terminal.ts';

test('README.md and docs/guides/install-integrations.md install two of ours, put one on a site, and configure both', async () => {
  const terminal = await openTerminal(await platform().makeSpace());
  const [install = ''] = blocksOf(sectionOf(documentAt('README.md'), 'Integrations'), 'sh');
  const [published, configured] = await terminal.run(install);
  expect(published).toContain('Published notifications, version 1: ');
  expect(JSON.parse(configured ?? '')).toMatchObject({ status: 'active' });

  const [place = ''] = blocksOf(documentAt('docs/guides/install-integrations.md'), 'sh');
  const [, put, set, ...script] = await terminal.run(place);
  expect(JSON.parse(put ?? '')).toMatchObject({ status: 'pending' });
  expect(JSON.parse(set ?? '')).toMatchObject({ status: 'active' });
  expect(script.join('\n')).toMatch(/https:\/\/count\.example\.com\/a\.js[\s\S]*dataset\.id = "abc"/);
});
