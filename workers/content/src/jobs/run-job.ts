import type { Background } from '@octavo/runtime';
import { handleEvent } from '@octavo/runtime';
import type { ConsumedEventType, EventMessage } from '@octavo/schema';
import type { HeadEnvironment } from '../heads/head-of.ts';
import { flattenSpace } from './flatten-space.ts';
import { handleContentChanged } from './handle-content-changed.ts';
import { importContentJob } from './import-job.ts';
import { indexSpace } from './index-space.ts';
import { indexSpaces } from './index-spaces.ts';
import type { Job } from './job.ts';
import { purgeSpace } from './purge-space.ts';
import { sweepExpired } from './sweep-expired.ts';

const jobs: { [Type in ConsumedEventType]?: Job } = {
  'content.changed': handleContentChanged,
  index_space: indexSpace,
  flatten_space: flattenSpace,
  index_spaces: indexSpaces,
  sweep_expired: sweepExpired,
  purge_space: purgeSpace,
  import_content: importContentJob,
};

/** Takes what a message names from the outbox and does it; what is settled already is not done again. */
export async function runJob({ id, type }: EventMessage, env: HeadEnvironment, background: Background) {
  await handleEvent(env, id, async (taken, db) => {
    const job = jobs[type];
    if (job === undefined) throw new Error(`This worker does no ${type}.`);
    await job(taken, { db, env, background });
  });
}
