import type { Database, RecordOf } from '@octavo/db';
import {
  abortUnless,
  commit,
  deliveries,
  displayNameField,
  getOnlyRow,
  ignoreConflict,
  nullable,
  outbox,
  rawQuery,
  readRows,
  selection,
  users,
} from '@octavo/db';
import { newId } from '@octavo/schema';
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
  selectLanes,
} from './schedule.ts';
import type { LeasedSubscription } from './subscriptions.ts';
import { isUnchanged, leaseMilliseconds, subscriber } from './subscriptions.ts';

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
  actorName: nullable(displayNameField(u)),
});
export type DueDelivery = RecordOf<typeof dueRow>;

/**
 * Reads the next deliveries of a subscription, grouped by object and in order. A receiver that failed recently gets a
 * single one as a probe.
 */
export async function readRound(db: Database, { id, failures }: LeasedSubscription): Promise<DueDelivery[][]> {
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

/** Runtimes usually allow six open connections; one is left for other requests. */
const maxAtOnce = 5;
/** No delivery is started in a round after this time, so that changes of the subscription take effect soon. */
const roundMilliseconds = 2000;

/** A sent delivery with its result. */
interface SentDelivery {
  due: DueDelivery;
  attempt: Attempt;
  verdict: Verdict;
}

/** The result of a round. */
interface Round {
  sent: SentDelivery[];
  /** Number of consecutive failures, those of former rounds included. */
  failures: number;
  /** Whether the receiver responded that it is permanently gone. */
  isGone: boolean;
}

/**
 * Sends due deliveries, several objects at once, each in order: a failed delivery only delays later ones of the same
 * object. Stops after several consecutive failures.
 */
export async function sendRound(
  lanes: DueDelivery[][],
  failuresBefore: number,
  send: (due: DueDelivery) => Promise<Attempt>,
): Promise<Round> {
  const until = Date.now() + roundMilliseconds;
  const round: Round = { sent: [], failures: failuresBefore, isGone: false };
  const mayGoOn = () =>
    Date.now() < until && !round.isGone && (round.failures < failuresUntilHeld || round.sent.length === 0);
  const waiting = lanes.values();

  async function sendLane(lane: DueDelivery[]): Promise<void> {
    for (const due of lane) {
      if (!mayGoOn()) return;
      const attempt = await send(due);
      const verdict = getVerdict(attempt);
      round.sent.push({ due, attempt, verdict });
      round.isGone ||= attempt.status === GONE;
      round.failures = verdict === 'failed' ? round.failures + 1 : 0;
      if (verdict === 'failed') return;
    }
  }

  const work = async () => {
    for (const lane of waiting) await sendLane(lane);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, work));
  return round;
}

/** Returns the new state of a delivery. */
function getResult({ due, attempt, verdict }: SentDelivery, now: number) {
  const { at, milliseconds, status: answered, error, answer } = attempt;
  const number = due.attempts + 1;
  const retryUntil = verdict === 'failed' ? (due.retryUntil ?? getRetryDeadline(now)) : due.retryUntil;
  const tries = due.tries + 1;
  const next = verdict === 'failed' ? now + getRetryDelay(tries, attempt.retryAfter) : null;
  const isDead = verdict === 'refused' || (next !== null && next > (retryUntil ?? now));
  const status = verdict === 'delivered' ? 'delivered' : isDead ? 'dead' : 'pending';
  const dueAt = status === 'pending' ? next : null;
  const log = { id: due.id, number, at, milliseconds, answer };
  return { ...log, tries, status, dueAt, retryUntil, answered, error };
}
type Result = ReturnType<typeof getResult>;

/** Failures since the last successful delivery. */
interface Failing {
  since: number | null;
  attempts: number;
  givenUp: number;
}

function getFailing(
  results: Result[],
  { failingSince, failedAttempts, givenUp }: LeasedSubscription,
  now: number,
): Failing {
  const lastDelivered = results.findLastIndex(({ status }) => status === 'delivered');
  const failed = results.slice(lastDelivered + 1);
  const isNew = lastDelivered >= 0;
  return {
    since: failed.length > 0 ? ((isNew ? null : failingSince) ?? now) : isNew ? null : failingSince,
    attempts: (isNew ? 0 : failedAttempts) + failed.length,
    givenUp: (isNew ? 0 : givenUp) + failed.filter(({ status }) => status === 'dead').length,
  };
}

/** Returns the milliseconds for which sending is suspended, or undefined if it goes on. */
function getHold({ sent, failures }: Round, failingSince: number, now: number): number | undefined {
  const asked = Math.max(0, ...sent.map(({ attempt }) => attempt.retryAfter));
  if (failures >= failuresUntilHeld) return getHoldTime(now - failingSince, asked);
  return asked > 0 && sent.at(-1)?.verdict === 'failed' ? asked : undefined;
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
  const results = round.sent.map((each) => getResult(each, now));
  const failing = getFailing(results, leased, now);
  const hold = failing.since === null ? undefined : getHold(round, failing.since, now);
  const ours = sql`id = ${leased.id} AND lease = ${leased.lease}`;
  const asKnown = isUnchanged(leased);
  const statements = {
    guard: abortUnless(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${ours})`),
    ...createWrites(leased, round.sent, { results: JSON.stringify(results), now, asKnown }),
    renewed: subscriber.query(sql`
      UPDATE subscriptions SET wake_at = ${now + leaseMilliseconds},
        failures = ${where(asKnown, sql`${round.failures}`, 'failures')},
        failing_since = ${where(asKnown, sql`${failing.since}`, 'failing_since')},
        failed_attempts = ${where(asKnown, sql`${failing.attempts}`, 'failed_attempts')},
        given_up = ${where(asKnown, sql`${failing.givenUp}`, 'given_up')},
        held_until = ${where(asKnown, sql`${hold === undefined ? null : now + hold}`, 'held_until')}
      WHERE ${ours} RETURNING ${subscriber}`),
  };
  const caller = { actor: 'system', requestId: newId('request') };
  const written = await ignoreConflict(() => commit(db, caller, statements, []));
  return written === undefined ? undefined : { ...getOnlyRow(written.rows.renewed), lease: leased.lease };
}

/** Returns a value if the condition holds, else the column's current value. */
const where = (condition: SQL, value: SQL, column: string): SQL =>
  sql`CASE WHEN ${condition} THEN ${value} ELSE ${sql.identifier(column)} END`;

const field = (name: string): SQL => sql.raw(`result.value->>'${name}'`);

/** Deliveries are found by id: by subscription and `seq`, SQLite would scan all of the subscription's. */
function createWrites(
  { id: subscription }: LeasedSubscription,
  sent: SentDelivery[],
  { results, now, asKnown }: { results: string; now: number; asKnown: SQL },
) {
  const lanes = JSON.stringify(sent.map(({ due }) => ({ subscription, object: due.object })));
  const counts = sql`(${field('status')} = 'delivered' OR ${asKnown})`;
  const settledAt = sql`CASE WHEN ${field('status')} <> 'pending' THEN ${now} END`;
  return {
    settled: rawQuery(sql`
      UPDATE deliveries SET attempts = ${field('number')}, answered = ${field('answered')}, error = ${field('error')},
        status = ${where(counts, field('status'), 'status')}, due_at = ${where(counts, field('dueAt'), 'due_at')},
        tries = ${where(counts, field('tries'), 'tries')},
        retry_until = ${where(counts, field('retryUntil'), 'retry_until')},
        settled_at = ${where(counts, settledAt, 'settled_at')}
      FROM json_each(${results}) result
      WHERE deliveries.id = ${field('id')}`),
    logged: rawQuery(sql`
      INSERT INTO delivery_attempts (delivery, number, at, milliseconds, status, error, answer)
      SELECT ${field('id')}, ${field('number')}, ${field('at')}, ${field('milliseconds')}, ${field('answered')},
        ${field('error')}, ${field('answer')} FROM json_each(${results}) result`),
    // An earlier delivery of the same object was requested again meanwhile and goes first.
    behind: rawQuery(sql`
      UPDATE deliveries SET due_at = NULL
      WHERE id IN (SELECT ${field('id')} FROM json_each(${results}) result) AND due_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_pending WHERE d.subscription = ${subscription}
          AND d.object = deliveries.object AND d.status = 'pending' AND d.seq < deliveries.seq)`),
    heads: makeHeadsDue(selectLanes(lanes), now),
  };
}
