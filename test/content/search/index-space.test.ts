import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import { clearIndex, mergeIndex, readIndexedPages, writeSegment } from './stored-index.ts';

const server = platform();

const countWaitingEvents = (organization: string) =>
  queryDatabase(server.dataDir, 'SELECT id FROM outbox WHERE organization = ? AND done_at IS NULL', organization)
    .length;

const waitUntilIdle = (organization: string) => until(() => countWaitingEvents(organization) === 0 || undefined);

/** Queues the indexing job and waits until it is complete. */
async function indexAgain(organization: string, space: string, data: { anew?: boolean } = {}): Promise<void> {
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
     VALUES (?, 'index_space', ?, ?, '', '', ?, 0, 0)`,
    ...[createId('event'), organization, space, JSON.stringify(data)],
  );
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  await waitUntilIdle(organization);
}

const getPages = (organization: string) => readIndexedPages(server, organization).map(({ page }) => page);

test('re-indexing a space of many pages in steps gives the same index as its edits did', async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const pages: string[] = [];
  for (let batch = 0; batch < 2; batch += 1) {
    pages.push(...(await space.change(Array.from({ length: 45 }, (_, n) => insertPage(`Page ${batch}.${n}`)))));
  }
  const [gone = ''] = pages.splice(7, 1);
  await space.change([{ operation: 'delete_page', page: gone }]);
  await waitUntilIdle(organization.id);
  const indexed = readIndexedPages(server, organization.id).map(({ segment: _, number: __, ...page }) => page);
  const merged = await mergeIndex(server, organization.id);
  expect(indexed.map(({ page }) => page)).toEqual([...pages].sort());
  expect(indexed.map(({ sections }) => sections[0]?.text)).toEqual(indexed.map(({ title }) => title));

  const isSame = async () => {
    expect(await mergeIndex(server, organization.id)).toEqual(merged);
    expect(readIndexedPages(server, organization.id)).toMatchObject(indexed);
  };
  await clearIndex(server, organization.id);
  for (const { key } of indexed) await writeDatabase(server, 'DELETE FROM search_texts WHERE key = ?', key);
  await indexAgain(organization.id, space.space);
  await isSame();

  const getSegments = () =>
    queryDatabase(server.dataDir, 'SELECT * FROM search_segments WHERE organization = ?', organization.id);
  const segments = getSegments();
  await indexAgain(organization.id, space.space);
  await isSame();
  expect(getSegments()).toEqual(segments);

  await indexAgain(organization.id, space.space, { anew: true });
  await isSame();
  expect(getSegments()).not.toEqual(segments);
});

test('removes index entries of pages that are deleted or never existed, and keeps those of other spaces', async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const other = getClient(server, await server.makeSpace({ organization }));
  const [remainingPage = '', gone = ''] = await space.change([insertPage('Kept'), insertPage('Gone')]);
  const [beside = ''] = await other.change([insertPage('Beside')]);
  await space.change([{ operation: 'delete_page', page: gone }]);
  await waitUntilIdle(organization.id);
  const stale = [gone, 'zz_never', '0_never'];
  await writeSegment(
    server,
    organization.id,
    stale.map((page) => ({
      ...{ space: space.space, page, key: page, title: 'Stale', conditions: [] },
      sections: [{ heading: '', text: 'stale', conditions: [] }],
    })),
  );
  expect(getPages(organization.id).sort()).toEqual([remainingPage, beside, ...stale].sort());

  await indexAgain(organization.id, space.space);

  expect(getPages(organization.id).sort()).toEqual([remainingPage, beside].sort());
});
