import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getZip } from '../../support/zip.ts';
import type { TestFile } from '../space-client.ts';
import { flatten, getClient } from '../space-client.ts';
import { getBytes, startUpload, uploadBytes } from '../uploads/upload-client.ts';
import { importAll, startImport } from './site.ts';

test('reads an uploaded archive like an archive at a URL', async () => {
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  const dots = getBytes(3_000_000);
  const bytes = getZip([
    { name: 'a/README.md', body: '# A\n\n![](dot.png)\n' },
    { name: 'a/b.md', body: '# B\n' },
    { name: 'a/dot.png', body: dots },
  ]);
  const { key } = await uploadBytes(newSpace, bytes, 'docs.zip');

  const state = await importAll(space, { url: `upload:${key}`, source: 'zip' });

  expect(state).toMatchObject({ status: 'completed', url: `upload:${key}`, importedResources: 3, failures: [] });
  expect(flatten(await space.pages()).map(({ title }) => title)).toEqual(['A', 'B']);
  const { items } = await space.callJson<{ items: TestFile[] }>('/content/files');
  expect(items).toMatchObject([{ name: 'dot.png', size: dots.length, git: { path: 'dot.png' } }]);
});

test('rejects uploads that are no archive, incomplete, of another user, or for a website import', async () => {
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  const text = await uploadBytes(newSpace, new TextEncoder().encode('no archive'));
  const begun = await startUpload(newSpace, 10);
  const foreign = await uploadBytes(await platform().makeSpace(), getZip([{ name: 'a.md' }]));
  const cases: [{ key: string }, string, string][] = [
    [text, 'zip', 'is not a readable zip archive'],
    [begun, 'zip', 'is incomplete: 0 of 10 bytes were uploaded'],
    [foreign, 'zip', 'is not one of your uploads in this organization, or has expired'],
    [text, 'markdown', 'can only be an upload if source is zip'],
  ];
  for (const [{ key }, source, message] of cases) {
    const { status, body } = await startImport(space, { url: `upload:${key}`, source });
    expect([status, body.error.message]).toEqual([400, `\`body.url\` ${message}.`]);
  }
});
