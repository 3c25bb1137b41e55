import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cost } from '../../content/space-client.ts';
import { getClient } from '../../content/space-client.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { getWebhooks } from './webhook-client.ts';

let server: OwnPlatform;
let organization: TestOrganization;
let space: TestSpace;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true, countsRows: true });
  organization = await server.makeOrganization();
  space = await server.makeSpace({ organization });
  await measureWriteCost();
}, 120_000);
afterAll(() => server?.remove());

/** Measures a typical write. */
async function measureWriteCost(): Promise<Cost> {
  const { status, cost } = await getClient(server, space).call('', { method: 'PATCH', body: { title: 'Other' } });
  expect(status).toBe(200);
  return cost;
}

const subtractCosts = (one: Cost, other: Cost) => ({
  ...{ trips: one.trips - other.trips, read: one.read - other.read, written: one.written - other.written },
});

const addWebhook = () =>
  getWebhooks(organization, server).create('http://127.0.0.1:9/', { events: ['organization.updated'] });

test('a write reads two rows without webhooks, and writes one feed row for any number of webhooks', async () => {
  const [trigger] = queryDatabase<{ sql: string }>(
    server.dataDir,
    "SELECT sql FROM sqlite_master WHERE name = 'outbox_fed'",
  );
  await writeDatabase(server, 'DROP TRIGGER outbox_fed');
  const untold = await measureWriteCost();
  await writeDatabase(server, trigger?.sql ?? '');
  const none = await measureWriteCost();
  await addWebhook();
  const one = await measureWriteCost();
  for (let index = 1; index < 20; index += 1) await addWebhook();
  const twenty = await measureWriteCost();

  expect(subtractCosts(none, untold)).toEqual({ trips: 0, read: 2, written: 0 });
  // The three written rows: the feed row, its index entry and the counter of its sequence number.
  expect(subtractCosts(one, none)).toEqual({ trips: 0, read: 2, written: 3 });
  expect(twenty).toEqual(one);
});

/** Returns the number of deleted rows and of rows read in the last cleanup, once the log has `nights` cleanups. */
function readCleanedRows(nights: number): Record<string, { rows: number; rowsRead: number }> | undefined {
  const all = readLogLines<{ what: string; rows: number; rowsRead: number }>(server.dataDir, '"deleted expired rows"');
  const reads = all.filter(({ what }) => /subscriptions|deliveries/.test(what));
  if (reads.length < nights * 5) return undefined;
  return Object.fromEntries(reads.map(({ what, rows, rowsRead }) => [what, { rows, rowsRead }]));
}

const clean = () => callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

/** Inserts `count` subscriptions with ten deliveries each, of which five are delivered. */
const insertSubscriptions = (name: string, count: number, [status, cleanAt]: [string, number]) =>
  writeDatabase(
    server,
    `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
      INSERT INTO subscriptions (id, organization, kind, status, clean_at, sealed_for, created_by, created_at, updated_at)
      SELECT ? || value, ?, 'webhook', ?, ?, '', 'usr_x', 1, 1 FROM n`,
    ...[count, name, organization.id, status, cleanAt],
  ).then(() =>
    writeDatabase(
      server,
      `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 10)
        INSERT INTO deliveries (subscription, seq, id, event, type, object, status, created_at, settled_at)
        SELECT s.id, value, s.id || '-' || value, 'evt_x', 'space.updated', '', iif(value > 5, 'pending', 'delivered'), 1,
          iif(value > 5, NULL, ?) FROM subscriptions s, n WHERE s.id GLOB ? || '*'`,
      ...[Date.now(), name],
    ),
  );

test('nightly cleanup reads only the rows that it deletes, however many webhooks are paused', async () => {
  const now = Date.now();
  await insertSubscriptions('whk_long', 20, ['paused', now - 1]);
  await insertSubscriptions('whk_lately', 200, ['paused', now + 1_000_000]);
  await insertSubscriptions('whk_over', 20, ['ended', 0]);
  await clean();
  const first = await until(() => readCleanedRows(1));
  await clean();
  const second = await until(() => readCleanedRows(2));

  expect(first).toMatchObject({
    'deliveries of ended subscriptions': { rows: 200 },
    'deliveries pending for a month': { rows: 100 },
    subscriptions: { rows: 20 },
    'cleanup timestamps of paused subscriptions': { rows: 20 },
  });
  // Deleting a row reads the row, its index entries, and the rows that are scanned to find it.
  for (const { rows, rowsRead: read } of Object.values(first)) expect(read).toBeLessThanOrEqual(rows * 12 + 40);
  for (const { rows, rowsRead: read } of Object.values(second)) expect([rows, read <= 10]).toEqual([0, true]);
  const [left] = queryDatabase<{ waiting: number; deliveries: number }>(
    server.dataDir,
    `SELECT SUM(waiting) AS waiting, (SELECT COUNT(*) FROM deliveries WHERE subscription GLOB 'whk_l*') AS deliveries
      FROM subscriptions WHERE id GLOB 'whk_l*'`,
  );
  expect(left).toEqual({ waiting: 1000, deliveries: 2100 });
});
