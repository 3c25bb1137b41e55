import { commit, connect } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';

/** Queues jobs that no user's request asks for. */
export async function queueJobs(env: ContentEnvironment, background: Background, jobs: NewEvent[]): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const { waiting } = await commit(db, { actor: 'system', requestId: newId('request') }, [], jobs);
  sendEvents(env, background, waiting);
}
