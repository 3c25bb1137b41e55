import { callOperator } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';
import { betweenMinutes } from '../../support/between-minutes.ts';
import { readPast, writePast } from '../../support/database.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import { clientOf, insertPage } from '../space-client.ts';
import { linking, makeOne, meanings, pageLinks } from './link-client.ts';

test('documents from before links were kept are read bit by bit', async () => {
  const server = await ownPlatform();
  onTestFinished(() => server.remove());
  const unread = () => readPast(server.dataDir, 'SELECT hash FROM documents WHERE links_known = 0').length;
  const space = clientOf(server, await server.makeSpace());
  const target = await makeOne(space, insertPage('Target'));
  const page = await makeOne(space, linking('P', ['/target', 'https://example.com/']));
  await betweenMinutes();
  await writePast(server, 'DELETE FROM document_links');
  await writePast(server, `UPDATE versions SET data = json_remove(data, '$.links')`);
  await writePast(server, 'UPDATE documents SET links_known = 0');
  for (const [hash, bytes] of [
    ['large', 5_000_000],
    ['small', 1],
  ] as const) {
    await writePast(server, `INSERT INTO documents (hash, markdown, bytes) VALUES (?, '[a](b)', ?)`, hash, bytes);
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
