import { beforeAll, expect, test } from 'vitest';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { writeDatabase } from '../../support/database.ts';
import { walk } from '../../support/paging.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface Page {
  count: number;
  items: { id: string }[];
  next?: { page: string };
}

const sizes = [200, 12_000];
const jobsPerEvent = 2;
/** A page examines at most 5,000 rows. Each one is read from the index, from the table, and again by the filter. */
const maxRowsRead = 3 * 5000 + 50;

const server = platform({ countsRows: true });
const organizations: TestOrganization[] = [];

/**
 * Inserts an audit log of `size` updates. The oldest ones have a different actor, and there are more jobs than events.
 */
async function insertAuditLog(size: number): Promise<TestOrganization> {
  const organization = await server.makeOrganization();
  const { id, user } = organization;
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO outbox (id, type, organization, actor, request_id, data, created_at, done_at)`;
  await writeDatabase(
    server,
    `${rows} SELECT 'evt_${id}' || i, 'organization.updated', ?, CASE i WHEN 1 THEN 'usr_rare' ELSE ? END, 'req_x', '{}', i, 1 FROM n`,
    ...[size, id, user],
  );
  await writeDatabase(
    server,
    `${rows} SELECT 'job_${id}' || i, 'index_space', ?, ?, 'req_x', '{}', i, 1 FROM n`,
    ...[size * jobsPerEvent, id, user],
  );
  return organization;
}

beforeAll(async () => {
  for (const size of sizes) organizations.push(await insertAuditLog(size));
});

const getPath = (organization: TestOrganization | undefined, query = '') =>
  `/v1/orgs/${organization?.id}/audit-events${query}`;

test('a page costs the same at any position, however many events and jobs exist', async () => {
  const [small, large] = organizations;
  const costs = await measurePages(server, getPath(large), large?.token ?? '');

  expectSameCost(costs);
  expectSameCost([...(await measurePages(server, getPath(small), small?.token ?? '')), ...costs]);
  expect(costs[0]).toMatchObject({ trips: 2, written: 0 });
  expect(costs[0]?.read).toBeLessThan(50);
});

test('labels need no separate query for each event', async () => {
  const [, large] = organizations;
  const { cost, body } = await readWithCost<Page>(server, getPath(large, '?limit=1000'), large?.token ?? '');

  expect(body.count).toBe(1000);
  expect(cost.trips).toBe(2);
});

test('a filter scans a limited number of rows per page, and reaches the only matching event at the end', async () => {
  const [, large] = organizations;
  const path = getPath(large, '?actor=usr_rare');
  const { body, cost } = await readWithCost<Page>(server, path, large?.token ?? '');

  expect(body).toEqual({ count: 0, items: [], next: { page: expect.any(String) } });
  expect(cost.read).toBeLessThan(maxRowsRead);
  expect(await walk(path, large?.token ?? '', { limit: 1000, server })).toEqual([`evt_${large?.id}1`]);
});

test('reads only rows of the requested time span', async () => {
  const [, large] = organizations;
  const moment = new Date(6000).toISOString();
  const path = getPath(large, `?from=${moment}&to=${moment}&action=organization.updated`);
  const { body, cost } = await readWithCost<Page>(server, path, large?.token ?? '');

  expect(body.items.map(({ id }) => id)).toEqual([`evt_${large?.id}6000`]);
  expect(cost.read).toBeLessThan(50);
});
