import type { Statement } from '@octavo/db';
import { commit } from '@octavo/db';
import { sendEvents, settleEvent } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import type { JobContext, Taken } from './job.ts';

/** Writes what a step of a job did, settles it and queues what comes next, in one batch. Gives the statements' results. */
export async function commitStep(
  { db, env, background }: JobContext,
  taken: Taken,
  { statements, events = [] }: { statements: Statement[]; events?: NewEvent[] },
): Promise<unknown[][]> {
  const caller = { actor: taken.actor, requestId: taken.requestId };
  const { results, waiting } = await commit(db, caller, [...statements, settleEvent(db, taken.id)], events);
  sendEvents(env, background, waiting);
  return results;
}
