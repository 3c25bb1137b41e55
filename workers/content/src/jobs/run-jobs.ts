import type { Database } from '@octavo/db';
import type { Background, EventHandlers, MessageFailures } from '@octavo/runtime';
import { handleEachMessage, handleEvent, handleEventGroups } from '@octavo/runtime';
import type { EventMessage } from '@octavo/schema';
import type { HeadEnvironment } from '../heads/space-head.ts';
import { flattenSpace } from './flatten-space.ts';
import { importContentJob } from './import-job.ts';
import {
  buildSearch,
  compactSearch,
  handleContentChanged,
  indexComputed,
  indexGeneratedPagesJob,
  indexIncludes,
  indexSpace,
  indexSpaces,
} from './index-jobs.ts';
import type { JobContext } from './job.ts';
import { purgeSpace, sweepExpired } from './purge-jobs.ts';

const handlers: EventHandlers<JobContext> = {
  index_space: indexSpace,
  index_made_pages: indexGeneratedPagesJob,
  index_includes: indexIncludes,
  index_computed: indexComputed,
  compact_search: compactSearch,
  build_search: buildSearch,
  flatten_space: flattenSpace,
  index_spaces: indexSpaces,
  sweep_expired: sweepExpired,
  purge_space: purgeSpace,
  import_content: importContentJob,
};

/** Handles messages from the outbox. Messages that are already settled are skipped. */
export async function runJobs(
  messages: EventMessage[],
  env: HeadEnvironment,
  background: Background,
): Promise<MessageFailures<EventMessage>> {
  const getContext = (db: Database) => ({ db, env, background });
  const { changes = [], jobs = [] } = Object.groupBy(messages, ({ type }) =>
    type === 'content.changed' ? 'changes' : 'jobs',
  );
  const ofChanges = { type: 'content.changed', handle: handleContentChanged, createContext: getContext } as const;
  return new Map([
    ...(await handleEventGroups(env, changes, ofChanges)),
    ...(await handleEachMessage((message: EventMessage) =>
      handleEvent(env, message, { handlers, createContext: getContext }),
    )(jobs)),
  ]);
}
