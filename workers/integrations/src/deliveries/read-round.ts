import type { Database, RecordOf } from '@octavo/db';
import { deliveries, maybe, outbox, readRows, selection, shownName, users } from '@octavo/db';
import { aliasedTable, sql } from 'drizzle-orm';
import { failuresUntilHeld } from './back-off.ts';
import type { Leased } from './lease.ts';

const maxLanes = 24;
const maxInLane = 4;

const d = aliasedTable(deliveries, 'd');
const o = aliasedTable(outbox, 'o');
const u = aliasedTable(users, 'u');
const dueRow = selection({
  ...{ seq: d.seq, id: d.id, object: d.object, attempts: d.attempts, tries: d.tries, redeliveries: d.redeliveries },
  retryUntil: d.retryUntil,
  depth: o.depth,
  event: {
    ...{ id: o.id, type: o.type, organization: o.organization, space: o.space },
    ...{ actor: o.actor, data: o.data, createdAt: o.createdAt },
  },
  actorName: maybe(shownName(u)),
});
export type Due = RecordOf<typeof dueRow>;

/**
 * What a subscription is sent next, by lanes: of each object that has something due the first ones, in their order. A
 * receiver that has failed lately is tried with one.
 */
export async function readRound(db: Database, { id, failures }: Leased): Promise<Due[][]> {
  const isTried = failures >= failuresUntilHeld;
  const [lanes, inLane] = isTried ? [1, 1] : [maxLanes, maxInLane];
  const found = dueRow.query(sql`
    SELECT ${dueRow} FROM (
      SELECT object, MIN(seq) AS first FROM (
        SELECT object, seq FROM deliveries INDEXED BY deliveries_due
        WHERE subscription = ${id} AND due_at <= ${Date.now()} ORDER BY due_at LIMIT ${lanes}) GROUP BY object) lane
    CROSS JOIN deliveries d INDEXED BY sqlite_autoindex_deliveries_1 ON d.subscription = ${id} AND d.seq IN (
      SELECT seq FROM deliveries INDEXED BY deliveries_pending
      WHERE subscription = ${id} AND object = lane.object AND status = 'pending' AND seq >= lane.first
      ORDER BY seq LIMIT ${inLane})
    CROSS JOIN outbox o ON o.id = d.event
    LEFT JOIN users u ON u.id = o.actor
    ORDER BY d.seq`);
  return [...Map.groupBy(await readRows(db, found), ({ object }) => object).values()];
}
