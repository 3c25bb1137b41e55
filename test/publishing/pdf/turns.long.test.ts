import { createId } from '@octavo/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { requestPdfOfSpace, requestPdfUrl, waitForPdf } from './pdf-client.ts';
import { readPdf } from './read-pdf.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
});
afterAll(() => server?.remove());

const count = (where: string, ...values: string[]) =>
  queryDatabase<{ count: number }>(server.dataDir, `SELECT COUNT(*) AS count FROM pdfs WHERE ${where}`, ...values)[0]
    ?.count;
const insertPageWithImage = (image: string, index: number) =>
  insertPage(`Slow ${index}`, { document: { markdown: `![It](${image}/${index}.png)\n` } });
const getId = (address: string) => new URL(address).pathname.split('/')[2] ?? '';

test('alternates between organizations, and replaces waiting PDFs with those of newer content', async () => {
  const released = Promise.withResolvers<void>();
  const images = await serveLocally((_, response) => {
    void released.promise.then(() => response.writeHead(404).end());
  });
  const [busy, other] = [await server.makeSpace(), await server.makeSpace()];
  const pages = await getClient(server, busy).change(
    Array.from({ length: 30 }, (_, index) => insertPageWithImage(images, index)),
  );
  for (const page of pages) await requestPdfUrl(server, busy, { query: `?page=${page}` });
  await until(() => count('started_at IS NOT NULL') === 2 || undefined);

  const client = getClient(server, other);
  await client.change([insertPage('First')]);
  const first = await requestPdfUrl(server, other);
  await client.change([insertPage('Second')]);
  const second = await requestPdfUrl(server, other);
  expect(getId(second)).toBe(getId(first));
  expect(getId(await requestPdfUrl(server, other))).toBe(getId(second));

  released.resolve();
  const pdfResponse = await waitForPdf(first);
  const waiting = count(`organization = ? AND state = 'waiting'`, busy.organization);
  const { texts } = await readPdf(new Uint8Array(await pdfResponse.arrayBuffer()));

  expect([pdfResponse.status, texts.join('\n')]).toEqual([200, expect.stringContaining('Second')]);
  expect(waiting).toBeGreaterThan(15);
  expect(count('space = ?', other.id)).toBe(1);
});

test('an organization can have at most 100 waiting PDFs', async () => {
  const [full, other] = [await server.makeSpace(), await server.makeSpace()];
  await writeDatabase(
    server,
    `INSERT INTO pdfs (id, organization, space, revision, title, created_at, asked_at)
      SELECT value, ?, 'spc_a', 'rev_' || key, 'T', ?, ? FROM json_each(?)`,
    ...[full.organization, Date.now(), Date.now(), JSON.stringify(Array.from({ length: 100 }, () => createId('pdf')))],
  );

  const response = await requestPdfOfSpace(server, full);

  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('100 PDFs of this') } });
  expect(count('space = ?', full.id)).toBe(0);
  expect((await requestPdfOfSpace(server, other)).status).toBe(200);
});
