import type { Database, RecordOf } from '@octavo/db';
import {
  abortUnless,
  commit,
  createDisplayNameField,
  deliveries,
  getOnlyRow,
  ignoreConflict,
  nullable,
  outbox,
  rawQuery,
  readRows,
  selection,
  users,
} from '@octavo/db';
import { createId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Attempt, Verdict } from './post-event.ts';
import { GONE, getVerdict } from './post-event.ts';
import {
  failuresUntilHeld,
  getHoldTime,
  getRetryDeadline,
  getRetryDelay,
  makeHeadsDue,
  selectPairs,
} from './schedule.ts';
import type { LeasedSubscription } from './subscriptions.ts';
import { isUnchanged, leaseMilliseconds, subscriber } from './subscriptions.ts';

const maxObjectsPerRound = 24;
const maxPerObject = 4;

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
  actorName: nullable(createDisplayNameField(u)),
});
export type DueDelivery = RecordOf<typeof dueRow>;

/**
 * Reads the next deliveries of a subscription, grouped by object and in order. If the receiver failed recently, reads a
 * single delivery as a probe.
 */
export async function readRound(db: Database, { id, failures }: LeasedSubscription): Promise<DueDelivery[][]> {
  const isProbe = failures >= failuresUntilHeld;
  const [maxObjects, perObject] = isProbe ? [1, 1] : [maxObjectsPerRound, maxPerObject];
  const selectDue = dueRow.query(sql`
    SELECT ${dueRow} FROM (
      SELECT object, MIN(seq) AS first FROM (
        SELECT object, seq FROM deliveries INDEXED BY deliveries_due
        WHERE subscription = ${id} AND due_at <= ${Date.now()} ORDER BY due_at LIMIT ${maxObjects}) GROUP BY object) due
    CROSS JOIN deliveries d INDEXED BY sqlite_autoindex_deliveries_1 ON d.subscription = ${id} AND d.seq IN (
      SELECT seq FROM deliveries INDEXED BY deliveries_pending
      WHERE subscription = ${id} AND object = due.object AND status = 'pending' AND seq >= due.first
      ORDER BY seq LIMIT ${perObject})
    CROSS JOIN outbox o ON o.id = d.event
    LEFT JOIN users u ON u.id = o.actor
    ORDER BY d.seq`);
  return [...Map.groupBy(await readRows(db, selectDue), ({ object }) => object).values()];
}

/** Runtimes usually allow six open connections; one is left for other requests. */
const maxAtOnce = 5;
/** No delivery is started in a round after this time, so that changes of the subscription take effect soon. */
const roundMilliseconds = 2000;

/** A sent delivery with its result. */
interface SentDelivery {
  delivery: DueDelivery;
  attempt: Attempt;
  outcome: Verdict;
}

/** The result of a round. */
interface Round {
  sent: SentDelivery[];
  /** Number of consecutive failures, including those of earlier rounds. */
  failures: number;
  /** Whether the receiver responded that it is permanently gone. */
  isDeleted: boolean;
}

/**
 * Sends due deliveries, several objects at once, each in order: a failed delivery only delays later ones of the same
 * object. Stops after several consecutive failures.
 */
export async function sendRound(
  groups: DueDelivery[][],
  failuresBefore: number,
  send: (delivery: DueDelivery) => Promise<Attempt>,
): Promise<Round> {
  const deadline = Date.now() + roundMilliseconds;
  const round: Round = { sent: [], failures: failuresBefore, isDeleted: false };
  const canContinue = () =>
    Date.now() < deadline && !round.isDeleted && (round.failures < failuresUntilHeld || round.sent.length === 0);
  const pendingGroups = groups.values();

  async function sendGroup(group: DueDelivery[]): Promise<void> {
    for (const delivery of group) {
      if (!canContinue()) return;
      const attempt = await send(delivery);
      const outcome = getVerdict(attempt);
      round.sent.push({ delivery, attempt, outcome });
      round.isDeleted ||= attempt.status === GONE;
      round.failures = outcome === 'failed' ? round.failures + 1 : 0;
      if (outcome === 'failed') return;
    }
  }

  const sendNextGroup = async () => {
    for (const group of pendingGroups) await sendGroup(group);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, sendNextGroup));
  return round;
}

/** Returns the new state of a delivery. */
function getResult({ delivery, attempt, outcome }: SentDelivery, now: number) {
  const { at, milliseconds, status: responseStatus, error, responseText } = attempt;
  const number = delivery.attempts + 1;
  const retryUntil = outcome === 'failed' ? (delivery.retryUntil ?? getRetryDeadline(now)) : delivery.retryUntil;
  const tries = delivery.tries + 1;
  const next = outcome === 'failed' ? now + getRetryDelay(tries, attempt.retryAfter) : null;
  const isDead = outcome === 'refused' || (next !== null && next > (retryUntil ?? now));
  const status = outcome === 'delivered' ? 'delivered' : isDead ? 'dead' : 'pending';
  const dueAt = status === 'pending' ? next : null;
  const log = { id: delivery.id, number, at, milliseconds, answer: responseText };
  return { ...log, tries, status, dueAt, retryUntil, answered: responseStatus, error };
}
type Result = ReturnType<typeof getResult>;

/** Failures since the last successful delivery. */
interface FailureState {
  firstFailedAt: number | null;
  attempts: number;
  abandonedCount: number;
}

function getFailing(
  results: Result[],
  { failingSince, failedAttempts, givenUp }: LeasedSubscription,
  now: number,
): FailureState {
  const lastDelivered = results.findLastIndex(({ status }) => status === 'delivered');
  const failed = results.slice(lastDelivered + 1);
  const isNew = lastDelivered >= 0;
  return {
    firstFailedAt: failed.length > 0 ? ((isNew ? null : failingSince) ?? now) : isNew ? null : failingSince,
    attempts: (isNew ? 0 : failedAttempts) + failed.length,
    abandonedCount: (isNew ? 0 : givenUp) + failed.filter(({ status }) => status === 'dead').length,
  };
}

/** Returns the milliseconds for which sending is suspended; undefined if it continues. */
function getHoldMilliseconds({ sent, failures }: Round, failingSince: number, now: number): number | undefined {
  const requestedDelay = Math.max(0, ...sent.map(({ attempt }) => attempt.retryAfter));
  if (failures >= failuresUntilHeld) return getHoldTime(now - failingSince, requestedDelay);
  return requestedDelay > 0 && sent.at(-1)?.outcome === 'failed' ? requestedDelay : undefined;
}

/**
 * Writes the results of a round in one batch and renews the lease. Returns the current subscription, or undefined if
 * another sender has the lease; the deliveries are sent again then. If the subscription was changed during the round,
 * only successful deliveries count, because failures say nothing about the new settings.
 */
export async function recordRound(
  db: Database,
  leased: LeasedSubscription,
  round: Round,
): Promise<LeasedSubscription | undefined> {
  const now = Date.now();
  const results = round.sent.map((delivery) => getResult(delivery, now));
  const failing = getFailing(results, leased, now);
  const hold = failing.firstFailedAt === null ? undefined : getHoldMilliseconds(round, failing.firstFailedAt, now);
  const ours = sql`id = ${leased.id} AND lease = ${leased.lease}`;
  const isLeaseValid = isUnchanged(leased);
  const statements = {
    guard: abortUnless(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${ours})`),
    ...createWrites(leased, round.sent, { results: JSON.stringify(results), now, isLeaseValid }),
    renewed: subscriber.query(sql`
      UPDATE subscriptions SET wake_at = ${now + leaseMilliseconds},
        failures = ${writeColumn(isLeaseValid, sql`${round.failures}`, 'failures')},
        failing_since = ${writeColumn(isLeaseValid, sql`${failing.firstFailedAt}`, 'failing_since')},
        failed_attempts = ${writeColumn(isLeaseValid, sql`${failing.attempts}`, 'failed_attempts')},
        given_up = ${writeColumn(isLeaseValid, sql`${failing.abandonedCount}`, 'given_up')},
        held_until = ${writeColumn(isLeaseValid, sql`${hold === undefined ? null : now + hold}`, 'held_until')}
      WHERE ${ours} RETURNING ${subscriber}`),
  };
  const caller = { actor: 'system', requestId: createId('request') };
  const result = await ignoreConflict(() => commit(db, caller, statements, []));
  return result === undefined ? undefined : { ...getOnlyRow(result.rows.renewed), lease: leased.lease };
}

/** Returns SQL for a column: `value` if the condition holds, else the column's current value. */
const writeColumn = (condition: SQL, value: SQL, column: string): SQL =>
  sql`CASE WHEN ${condition} THEN ${value} ELSE ${sql.identifier(column)} END`;

const selectField = (name: string): SQL => sql.raw(`result.value->>'${name}'`);

/**
 * Deliveries are found by id. If they were found by subscription and `seq`, SQLite would scan all deliveries of the
 * subscription.
 */
function createWrites(
  { id: subscription }: LeasedSubscription,
  sent: SentDelivery[],
  { results, now, isLeaseValid }: { results: string; now: number; isLeaseValid: SQL },
) {
  const groupsJson = JSON.stringify(sent.map(({ delivery }) => ({ subscription, object: delivery.object })));
  const counts = sql`(${selectField('status')} = 'delivered' OR ${isLeaseValid})`;
  const settledAt = sql`CASE WHEN ${selectField('status')} <> 'pending' THEN ${now} END`;
  return {
    settled: rawQuery(sql`
      UPDATE deliveries SET attempts = ${selectField('number')}, answered = ${selectField('answered')}, error = ${selectField('error')},
        status = ${writeColumn(counts, selectField('status'), 'status')}, due_at = ${writeColumn(counts, selectField('dueAt'), 'due_at')},
        tries = ${writeColumn(counts, selectField('tries'), 'tries')},
        retry_until = ${writeColumn(counts, selectField('retryUntil'), 'retry_until')},
        settled_at = ${writeColumn(counts, settledAt, 'settled_at')}
      FROM json_each(${results}) result
      WHERE deliveries.id = ${selectField('id')}`),
    logged: rawQuery(sql`
      INSERT INTO delivery_attempts (delivery, number, at, milliseconds, status, error, answer)
      SELECT ${selectField('id')}, ${selectField('number')}, ${selectField('at')}, ${selectField('milliseconds')}, ${selectField('answered')},
        ${selectField('error')}, ${selectField('answer')} FROM json_each(${results}) result`),
    // If an earlier delivery of the same object was requested again during the round, it is sent first.
    behind: rawQuery(sql`
      UPDATE deliveries SET due_at = NULL
      WHERE id IN (SELECT ${selectField('id')} FROM json_each(${results}) result) AND due_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_pending WHERE d.subscription = ${subscription}
          AND d.object = deliveries.object AND d.status = 'pending' AND d.seq < deliveries.seq)`),
    heads: makeHeadsDue(selectPairs(groupsJson), now),
  };
}
