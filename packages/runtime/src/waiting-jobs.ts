import type { Database } from '@octavo/db';
import { given, outbox, readRows, selection } from '@octavo/db';
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
  /** Ten attempts failed: it is not sent any more. */
  dead: boolean;
  /** Why the last attempt failed. */
  error: string | null;
}

const jobRow = selection({
  id: outbox.id,
  type: outbox.type,
  organization: outbox.organization,
  space: outbox.space,
  age: given(Number),
  attempts: outbox.attempts,
  dead: given(Boolean),
  error: outbox.error,
});

const maxListed = 500;
const isDead = sql`done_at IS NULL AND attempts >= ${sql.raw(String(maxAttempts))}`;
const isWaiting = sql`done_at IS NULL AND attempts < ${sql.raw(String(maxAttempts))}`;

/** The dead letters, then what waits, the oldest first; of each no more than an operator would read. */
export async function listWaitingJobs(db: Database): Promise<WaitingJob[]> {
  const listed = (which: typeof isDead) =>
    sql`SELECT * FROM (SELECT * FROM outbox WHERE ${which} ORDER BY created_at LIMIT ${maxListed})`;
  const columns = jobRow.with({ age: sql`${Date.now()} - created_at`, dead: isDead });
  const jobs = jobRow.query(sql`
    SELECT ${columns}
    FROM (${listed(isDead)} UNION ALL ${listed(isWaiting)}) outbox ORDER BY dead DESC, created_at, id`);
  return readRows(db, jobs);
}

const replayedRow = selection({ id: outbox.id });

/** Lets the next sweep send an event again as if it had never been tried, or all dead letters. Gives how many. */
export async function replayJobs(db: Database, which: { id: string } | { all: true }): Promise<number> {
  const chosen = 'id' in which ? sql`id = ${which.id} AND done_at IS NULL` : isDead;
  const replayed = replayedRow.query(
    sql`UPDATE outbox SET attempts = 0, sent_at = 0 WHERE ${chosen} RETURNING ${replayedRow}`,
  );
  return (await readRows(db, replayed)).length;
}
