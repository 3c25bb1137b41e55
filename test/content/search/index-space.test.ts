import { callOperator } from '@octavo/platform';
import { newId } from '@octavo/schema';
import { expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';

const server = platform();

const sections = (space: string) =>
  readPast(
    server.dataDir,
    'SELECT organization, page, ordinal, anchor, title, heading, body FROM search_sections WHERE space = ? ORDER BY page, ordinal',
    space,
  );

const waiting = (space: string) =>
  readPast(server.dataDir, 'SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', space).length;

/** Queues the indexing job and waits until it is complete. */
async function indexAnew(organization: string, space: string): Promise<void> {
  await writePast(
    server,
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
     VALUES (?, 'index_space', ?, ?, '', '', '{}', 0, 0)`,
    newId('event'),
    organization,
    space,
  );
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  await until(async () => (waiting(space) === 0 ? true : undefined));
}

test('re-indexing a space of many pages in steps gives the same index as its edits did', async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const pages: string[] = [];
  for (let batch = 0; batch < 2; batch += 1) {
    pages.push(...(await space.change(Array.from({ length: 45 }, (_, n) => insertPage(`Page ${batch}.${n}`)))));
  }
  const [gone = ''] = pages.splice(7, 1);
  await space.change([{ operation: 'delete_page', page: gone }]);
  await until(async () => (waiting(space.space) === 0 ? true : undefined));
  const indexed = sections(space.space);
  expect(indexed.map(({ page }) => page)).toEqual([...pages].sort());

  await writePast(server, 'DELETE FROM search_sections WHERE space = ?', space.space);
  await indexAnew(organization.id, space.space);
  expect(sections(space.space)).toEqual(indexed);

  await indexAnew(organization.id, space.space);
  expect(sections(space.space)).toEqual(indexed);
});

test('removes index entries of pages that are deleted or never existed', async () => {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const [kept = '', gone = ''] = await space.change([insertPage('Kept'), insertPage('Gone')]);
  await space.change([{ operation: 'delete_page', page: gone }]);
  await until(async () => (waiting(space.space) === 0 ? true : undefined));
  for (const page of [gone, 'zz_never', '0_never']) {
    await writePast(
      server,
      "INSERT INTO search_sections (space, organization, page, ordinal, anchor, title, heading, body) VALUES (?, ?, ?, 0, '', 'Left', '', 'over')",
      space.space,
      organization.id,
      page,
    );
  }

  await indexAnew(organization.id, space.space);

  expect(sections(space.space).map(({ page }) => page)).toEqual([kept]);
});
