import type { Background, EventHandlers } from '@octavo/runtime';
import { handleEvent } from '@octavo/runtime';
import type { EventMessage } from '@octavo/schema';
import type { HeadEnvironment } from '../heads/space-head.ts';
import { flattenSpace } from './flatten-space.ts';
import { handleContentChanged } from './handle-content-changed.ts';
import { importContentJob } from './import-job.ts';
import { indexSpace } from './index-space.ts';
import { indexSpaces } from './index-spaces.ts';
import type { JobContext } from './job.ts';
import { purgeSpace } from './purge-space.ts';
import { sweepExpired } from './sweep-expired.ts';

const handlers: EventHandlers<JobContext> = {
  'content.changed': handleContentChanged,
  index_space: indexSpace,
  flatten_space: flattenSpace,
  index_spaces: indexSpaces,
  sweep_expired: sweepExpired,
  purge_space: purgeSpace,
  import_content: importContentJob,
};

/** Takes what a message names from the outbox and does it; what is settled already is not done again. */
export const runJob = (message: EventMessage, env: HeadEnvironment, background: Background): Promise<void> =>
  handleEvent(env, message, { handlers, contextOf: (db) => ({ db, env, background }) });
