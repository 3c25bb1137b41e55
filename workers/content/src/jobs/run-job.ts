import { connect } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { takeEvent } from '@octavo/runtime';
import type { ConsumedEventType, EventMessage } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { importContentJob } from '../imports/import-job.ts';
import { handleContentChanged } from '../search/handle-content-changed.ts';
import type { Job } from './job.ts';

const jobs: { [Type in ConsumedEventType]?: Job } = {
  'content.changed': handleContentChanged,
  import_content: importContentJob,
};

/** Takes what a message names from the outbox and does it; what is settled already is not done again. */
export async function runJob({ id, type }: EventMessage, env: ContentEnvironment, background: Background) {
  const { db } = connect(env.DB, { intent: 'write' });
  const taken = await takeEvent(db, id);
  if (taken === undefined) return;
  const job = jobs[type];
  if (job === undefined) throw new Error(`This worker does no ${type}.`);
  await job(taken, { db, env, background });
}
