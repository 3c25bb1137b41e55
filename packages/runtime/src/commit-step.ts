import type { Database, Row, Statement } from '@octavo/db';
import { commit, commitCheckedOnce } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, EventQueues } from './environment.ts';
import type { Taken } from './outbox.ts';
import { AlreadySettled, sendEvents, settleEvent } from './outbox.ts';

interface StepContext {
  db: Database;
  env: EventQueues;
  background: Background;
}

interface StepWork {
  statements: Statement[];
  events?: NewEvent[];
  /** How long what comes next has to wait at least. */
  delaySeconds?: number;
}

/**
 * Writes what a step of a job did, settles it and queues what comes next, in one batch. Gives the rows of the statements.
 * @throws AlreadySettled where another run of the same message came first: what comes next is queued once
 */
export async function commitStep(
  { db, env, background }: StepContext,
  taken: Taken,
  { statements, events = [], delaySeconds = 0 }: StepWork,
): Promise<Row[]> {
  const caller = { actor: taken.actor, requestId: taken.requestId };
  const isOpen = {
    holds: sql`EXISTS (SELECT 1 FROM outbox WHERE id = ${taken.id} AND done_at IS NULL)`,
    otherwise: () => new AlreadySettled(),
  };
  const { rows, waiting } = await commitCheckedOnce(db, [isOpen], (guards) =>
    commit(db, caller, { guards, statements, settled: settleEvent(db, taken.id) }, events),
  );
  sendEvents(
    env,
    background,
    waiting.map((message) => ({ ...message, delaySeconds })),
  );
  return rows.statements;
}
