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
  splitByPages,
} from './index-jobs.ts';
import type { JobContext } from './job.ts';
import { moveTexts } from './move-texts.ts';
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
  move_texts: moveTexts,
  import_content: importContentJob,
};

/**
 * Maximum number of queries for a group of events. Indexing 25 pages of 1 MB takes many, because each statement that
 * writes their texts and blocks has at most 1 MB.
 */
const maxQueriesPerGroup = 200;

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
  const ofChanges = {
    type: 'content.changed',
    split: splitByPages,
    maxQueries: maxQueriesPerGroup,
    handle: handleContentChanged,
    createContext: getContext,
  } as const;
  return new Map([
    ...(await handleEventGroups(env, changes, ofChanges)),
    ...(await handleEachMessage((message: EventMessage) =>
      handleEvent(env, message, { handlers, createContext: getContext }),
    )(jobs)),
  ]);
}
