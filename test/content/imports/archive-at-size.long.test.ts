import { expect, test } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { ZipEntry } from '../../support/zip.ts';
import { getZip } from '../../support/zip.ts';
import { getClient } from '../space-client.ts';
import { importAll, serveSite } from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());

const serveZip = async (entries: ZipEntry[]) =>
  (await serveSite({ '/docs.zip': { body: getZip(entries), type: 'application/zip' } })).url;

const png = Uint8Array.from([
  137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0, 0, 0, 0, 0,
]);

test('imports large images in several steps', { timeout: 180_000 }, async () => {
  const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => png[index] ?? index % 251);
  const images = Array.from({ length: 8 }, (_, index) => ({
    name: `${index}.png`,
    body: Uint8Array.from([...large, index]),
  }));
  const url = await serveZip([{ name: 'a.md', body: '# A\n' }, ...images]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(state).toMatchObject({ importedResources: 9, failedResources: 0 });
  const [taken] = queryDatabase<{ seq: number }>(platform().dataDir, 'SELECT seq FROM imports WHERE id = ?', state.id);
  // The steps are: open, three reads, end of reading, link, insert.
  expect(taken?.seq).toBeGreaterThanOrEqual(7);
});

test('imports 600 files in several steps', {
  timeout: 180_000,
}, async () => {
  const url = await serveZip(
    Array.from({ length: 600 }, (_, index) => ({ name: `p${index}.md`, body: `# Page ${index}\n` })),
  );
  const space = await makeSpaceClient();

  expect(await importAll(space, { url: `${url}/docs.zip`, source: 'zip' })).toMatchObject({ importedResources: 600 });
  expect(await space.pages()).toHaveLength(600);
});
