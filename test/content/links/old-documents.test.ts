import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import { clientOf, insertPage } from '../space-client.ts';
import { linking, makeOne, meanings, pageLinks } from './link-client.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform();
});
afterAll(() => server?.remove());

const unread = () =>
  readPast<{ hash: string }>(server.dataDir, 'SELECT hash FROM documents WHERE links_known = 0').length;

test('documents from before links were kept are read bit by bit', async () => {
  const space = clientOf(server, await server.makeSpace());
  const target = await makeOne(space, insertPage('Target'));
  const page = await makeOne(space, linking('P', ['/target', 'https://example.com/']));
  writePast(server.dataDir, 'DELETE FROM document_links');
  writePast(server.dataDir, `UPDATE versions SET data = json_remove(data, '$.links')`);
  writePast(server.dataDir, 'UPDATE documents SET links_known = 0');
  for (const [hash, bytes] of [
    ['large', 5_000_000],
    ['small', 1],
  ] as const) {
    writePast(server.dataDir, `INSERT INTO documents (hash, markdown, bytes) VALUES (?, '[a](b)', ?)`, hash, bytes);
  }
  expect((await pageLinks(space, page)).items).toEqual([]);

  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  expect(unread()).toBe(2);
  expect(meanings(await pageLinks(space, page))).toEqual({
    '/target': target,
    'https://example.com/': 'https://example.com/',
  });
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  expect(unread()).toBe(0);
  expect(readPast(server.dataDir, `SELECT target FROM document_links WHERE hash = 'small'`)).toEqual([{ target: 'b' }]);
});
