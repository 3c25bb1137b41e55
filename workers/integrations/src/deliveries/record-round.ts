import type { Database } from '@octavo/db';
import { commit, must, onlyRow, rawQuery, unlessBeaten } from '@octavo/db';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { delayAfter, failuresUntilHeld, holdAfter, triedUntil } from './back-off.ts';
import type { Leased } from './lease.ts';
import { leaseMilliseconds } from './lease.ts';
import { lanesOf, makeHeadsDue } from './make-heads-due.ts';
import type { Round, Sent } from './send-round.ts';
import { isAsKnown, subscriber } from './subscriber.ts';

/** What becomes of a delivery. */
function resultOf({ due, attempt, verdict }: Sent, now: number) {
  const { at, milliseconds, status: answered, error, answer } = attempt;
  const number = due.attempts + 1;
  const retryUntil = verdict === 'failed' ? (due.retryUntil ?? triedUntil(now)) : due.retryUntil;
  const tries = due.tries + 1;
  const next = verdict === 'failed' ? now + delayAfter(tries, attempt.retryAfter) : null;
  const isDead = verdict === 'refused' || (next !== null && next > (retryUntil ?? now));
  const status = verdict === 'delivered' ? 'delivered' : isDead ? 'dead' : 'pending';
  const dueAt = status === 'pending' ? next : null;
  const log = { id: due.id, number, at, milliseconds, answer };
  return { ...log, tries, status, dueAt, retryUntil, answered, error };
}
type Result = ReturnType<typeof resultOf>;

/** What came to nothing since something was delivered: nothing where what was sent last was. */
interface Failing {
  since: number | null;
  attempts: number;
  givenUp: number;
}

function failingAfter(results: Result[], { failingSince, failedAttempts, givenUp }: Leased, now: number): Failing {
  const lastDelivered = results.findLastIndex(({ status }) => status === 'delivered');
  const failed = results.slice(lastDelivered + 1);
  const isNew = lastDelivered >= 0;
  return {
    since: failed.length > 0 ? ((isNew ? null : failingSince) ?? now) : isNew ? null : failingSince,
    attempts: (isNew ? 0 : failedAttempts) + failed.length,
    givenUp: (isNew ? 0 : givenUp) + failed.filter(({ status }) => status === 'dead').length,
  };
}

/** How long nothing is sent, in milliseconds; undefined where sending goes on. */
function holdOf({ sent, failures }: Round, failingSince: number, now: number): number | undefined {
  const asked = Math.max(0, ...sent.map(({ attempt }) => attempt.retryAfter));
  if (failures >= failuresUntilHeld) return holdAfter(now - failingSince, asked);
  return asked > 0 && sent.at(-1)?.verdict === 'failed' ? asked : undefined;
}

/**
 * Writes what came of a round, in one batch, and goes on with the lease. Gives the subscription as it is then; undefined
 * where another has the lease: what was sent will be sent once more. Where somebody changed the subscription during the
 * round, only what was delivered counts: what failed was sent as it is no longer to be, and says nothing of how it is now.
 */
export async function recordRound(db: Database, leased: Leased, round: Round): Promise<Leased | undefined> {
  const now = Date.now();
  const results = round.sent.map((each) => resultOf(each, now));
  const failing = failingAfter(results, leased, now);
  const hold = failing.since === null ? undefined : holdOf(round, failing.since, now);
  const ours = sql`id = ${leased.id} AND lease = ${leased.lease}`;
  const asKnown = isAsKnown(leased);
  const statements = {
    guard: must(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${ours})`),
    ...writesOf(leased, round.sent, { results: JSON.stringify(results), now, asKnown }),
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
  const written = await unlessBeaten(() => commit(db, caller, statements, []));
  return written === undefined ? undefined : { ...onlyRow(written.rows.renewed), lease: leased.lease };
}

/** A value where a condition holds; elsewhere what the column has. */
const where = (condition: SQL, value: SQL, column: string): SQL =>
  sql`CASE WHEN ${condition} THEN ${value} ELSE ${sql.identifier(column)} END`;

const field = (name: string): SQL => sql.raw(`result.value->>'${name}'`);

/** Found by their ids: by subscription and place all of the subscription would be looked through. */
function writesOf(
  { id: subscription }: Leased,
  sent: Sent[],
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
    // Of those before which another came meanwhile, which was asked for once more.
    behind: rawQuery(sql`
      UPDATE deliveries SET due_at = NULL
      WHERE id IN (SELECT ${field('id')} FROM json_each(${results}) result) AND due_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_pending WHERE d.subscription = ${subscription}
          AND d.object = deliveries.object AND d.status = 'pending' AND d.seq < deliveries.seq)`),
    heads: makeHeadsDue(lanesOf(lanes), now),
  };
}
