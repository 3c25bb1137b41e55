import type { Database } from '@octavo/db';
import { fromQuery, outbox, readRows, selection } from '@octavo/db';
import type { OrganizationId, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { maxAttempts } from './outbox.ts';

/** An event or a job that is not settled. Ages are in milliseconds. */
export interface WaitingJob {
  id: string;
  type: string;
  organization: OrganizationId | null;
  space: SpaceId | null;
  age: number;
  attempts: number;
  /** Runs that began and have not ended: one may still be running, the others were interrupted. */
  interruptions: number;
  /** Whether the event or job is no longer sent, after ten failed attempts or ten interrupted runs. */
  dead: boolean;
  /** The reason of the last failure, or of the interruptions. */
  error: string | null;
}

const jobRow = selection({
  id: outbox.id,
  type: outbox.type,
  organization: outbox.organization,
  space: outbox.space,
  age: fromQuery(Number),
  attempts: outbox.attempts,
  interruptions: outbox.interruptions,
  dead: fromQuery(Boolean),
  error: fromQuery(outbox.error),
});

const maxListed = 500;
export const isDead = sql`done_at IS NULL AND attempts >= ${sql.raw(String(maxAttempts))}`;
export const isWaiting = sql`done_at IS NULL AND attempts < ${sql.raw(String(maxAttempts))}`;

/** Returns dead letters and then waiting jobs, the oldest first, each limited to 500. */
export async function listWaitingJobs(db: Database): Promise<WaitingJob[]> {
  const selectJobs = (which: typeof isDead) =>
    sql`SELECT * FROM (SELECT * FROM outbox WHERE ${which} ORDER BY created_at LIMIT ${maxListed})`;
  const interrupted = sql`CASE WHEN interruptions > 1 THEN interruptions || ' runs were interrupted.' END`;
  const error = sql`COALESCE(error, ${interrupted})`;
  const columns = jobRow.with({ age: sql`${Date.now()} - created_at`, dead: isDead, error });
  const jobs = jobRow.query(sql`
    SELECT ${columns}
    FROM (${selectJobs(isDead)} UNION ALL ${selectJobs(isWaiting)}) outbox ORDER BY dead DESC, created_at, id`);
  return readRows(db, jobs);
}

const replayedRow = selection({ id: outbox.id });

/**
 * Resets the attempts of an event, or of all dead letters, so that the next sweep sends them again. Returns the number
 * of events.
 */
export async function replayJobs(db: Database, which: { id: string } | { all: true }): Promise<number> {
  const chosen = 'id' in which ? sql`id = ${which.id} AND done_at IS NULL` : isDead;
  const replayed = replayedRow.query(
    sql`UPDATE outbox SET attempts = 0, interruptions = 0, sent_at = 0 WHERE ${chosen} RETURNING ${replayedRow}`,
  );
  return (await readRows(db, replayed)).length;
}
