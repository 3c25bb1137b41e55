import type { Row, Statement } from '@octavo/db';
import { commit, must } from '@octavo/db';
import type { Taken } from '@octavo/runtime';
import { sendEvents, settleEvent } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { JobContext } from './job.ts';

interface StepWork {
  statements: Statement[];
  events?: NewEvent[];
  /** How long what comes next has to wait at least. */
  delaySeconds?: number;
}

/** Writes what a step of a job did, settles it and queues what comes next, in one batch. Gives the rows of the statements. */
export async function commitStep(
  { db, env, background }: JobContext,
  taken: Taken,
  { statements, events = [], delaySeconds = 0 }: StepWork,
): Promise<Row[]> {
  const caller = { actor: taken.actor, requestId: taken.requestId };
  // A message may come twice at once: the second run must not queue what comes next once more.
  const notSettled = must(db, sql`EXISTS (SELECT 1 FROM outbox WHERE id = ${taken.id} AND done_at IS NULL)`);
  const { rows, waiting } = await commit(
    db,
    caller,
    { statements, notSettled, settled: settleEvent(db, taken.id) },
    events,
  );
  sendEvents(
    env,
    background,
    waiting.map((message) => ({ ...message, delaySeconds })),
  );
  return rows.statements;
}
