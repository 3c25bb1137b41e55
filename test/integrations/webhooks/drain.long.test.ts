import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { receive } from './receiver.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

const count = 4_000;
const objects = 800;
/** Maximum memory growth of the runtime while sending, in MB. Typically about 85. */
const mostMegabytes = 150;
/** Maximum number of round trips. Deliveries are read, written and dispatched in batches. */
const mostTrips = count / 4;

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
}, 120_000);
afterAll(() => server?.remove());

async function measureMegabytes(pid: number): Promise<number> {
  const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Sums the round trips of all delivery runs in the log. */
const countRoundTrips = (): number =>
  ['"events sent"', '"events dispatched"']
    .flatMap((run) => readLogLines<{ trips: number }>(server.dataDir, run))
    .reduce((sum, { trips }) => sum + trips, 0);

test('delivers four thousand events in order, in bounded memory and few round trips', {
  timeout: 900_000,
}, async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization, server);
  const receiver = await receive();
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const pid = await server.getWorkerdPid();
  const before = await measureMegabytes(pid);
  await writeDatabase(
    server,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
      INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, done_at)
      SELECT printf('evt_%07d', i), 'space.updated', ?, 'spc_' || (i % ?), 'system', 'req_x', '{}', ?, 1 FROM n`,
    ...[count, organization.id, objects, Date.now()],
  );
  await sweepDeliveries(server);
  let [most, seen] = [before, 0];
  // No time limit, because the machine may be slow. The loop ends when there is no progress.
  while (seen < count)
    seen = await until(async () => {
      most = Math.max(most, await measureMegabytes(pid));
      const [row] = queryDatabase<{ delivered: number }>(
        server.dataDir,
        "SELECT COUNT(*) AS delivered FROM deliveries WHERE subscription = ? AND status = 'delivered'",
        id,
      );
      return row && row.delivered > seen ? row.delivered : undefined;
    });

  expect(receiver.received).toHaveLength(count);
  for (const [, each] of Map.groupBy(receiver.received, ({ body }) => body.space)) {
    const ids = each.map(({ body }) => body.id);
    expect(ids).toEqual(ids.toSorted());
  }
  expect(most - before).toBeLessThan(mostMegabytes);
  expect(countRoundTrips()).toBeGreaterThan(0);
  expect(countRoundTrips()).toBeLessThan(mostTrips);
});
