import type { Database, Parameter, Statement } from '@octavo/db';
import {
  abortUnless,
  checkCondition,
  deleteCollections,
  fromQuery,
  ignoreConflict,
  prepareQuery,
  retryOnConflict,
  runBatch,
  selection,
  spaces,
} from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { commitStep } from '@octavo/runtime';
import type { OrganizationId, SpaceId } from '@octavo/schema';
import { and, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { ExpiredUpload } from '../engine/retention/expired-uploads.ts';
import { deleteUploadedObjects, deleteUploads, queryExpiredUploads } from '../engine/retention/expired-uploads.ts';
import type { PurgeData, PurgePart, Stage } from '../engine/retention/retention.ts';
import {
  deleteBytes,
  getKeysToDelete,
  getTrashEnd,
  maxRows,
  purgeBranches,
  purgeChangeRequests,
  purgeImports,
  purgeRevisions,
  purgeRow,
  purgeSearch,
  purgeVersions,
  selectUnusedBlobs,
  sweepBlobs,
} from '../engine/retention/retention.ts';
import { retryIfMerged } from '../engine/search/index-store.ts';
import type { Job, JobContext } from './job.ts';

const stages: Record<PurgeData['stage'], Stage> = {
  imports: purgeImports,
  branches: purgeBranches,
  change_requests: purgeChangeRequests,
  search: purgeSearch,
  versions: purgeVersions,
  revisions: purgeRevisions,
  space: purgeRow,
};

/** Runs one step: deletes a limited part of a space that is being purged, or whose row is already deleted. */
export const purgeSpace: Job<'purge_space'> = async (event, context) => {
  const { space, data } = event;
  const { stage, after } = data;
  if (space === null) throw new Error('The job has no space.');
  if (await checkCondition(context.db, hasNoRunningPurge(space))) {
    await commitStep(context, event, { statements: [] });
    return;
  }
  const purge = async () => {
    const part = await retryIfMerged(() => stages[stage](context.db, { space, after, files: context.env.FILES }));
    return commitPart(context, event, { space, part });
  };
  // Another write has changed the data meanwhile, so start again with the first stage.
  const restart = () => commitPart(context, event, { space, part: { statements: [], next: { stage: 'imports' } } });
  const rows = stage === 'space' ? ((await ignoreConflict(purge)) ?? (await restart())) : await retryOnConflict(purge);
  await deleteBytes(context, getKeysToDelete(rows));
};

/** Returns the SQL condition that the space is not being purged, so nothing of it may be deleted. */
const hasNoRunningPurge = (space: SpaceId) =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND (deleted_at IS NULL OR purging_at IS NULL))`;

function commitPart(
  { db, ...context }: JobContext,
  event: OutboxEvent,
  { space, part }: { space: SpaceId; part: PurgePart },
) {
  const purged = abortUnless(db, sql`NOT ${hasNoRunningPurge(space)}`);
  const owner = event.organization === null ? {} : { organization: event.organization };
  const next = part.next === undefined ? [] : [{ type: 'purge_space' as const, ...owner, space, data: part.next }];
  return commitStep({ db, ...context }, event, {
    statements: [purged, ...part.statements],
    events: [...(part.events ?? []), ...next],
  });
}

/** Deletes a limited number of expired objects, and queues another step if there are more. */
export const sweepExpired: Job<'sweep_expired'> = (event, context) =>
  retryOnConflict(async () => {
    const { db } = context;
    const end = getTrashEnd(Date.now());
    const { spaces, collections, blobs, uploads } = await findExpired(db, end);
    const isMore =
      spaces.length === maxRows || collections.length > 0 || blobs.length >= maxRows || uploads.length === maxRows;
    await deleteUploadedObjects(context.env, uploads);
    const rows = await commitStep(context, event, {
      statements: [
        ...beginPurges(db, spaces, end),
        ...(collections.length === 0 ? [] : deleteCollections(db, collections, isRemovable)),
        ...sweepBlobs(db, blobs),
        ...deleteUploads(db, uploads),
      ],
      events: [
        ...spaces.map(({ id, organization }) => ({
          type: 'purge_space' as const,
          organization,
          space: id,
          data: { stage: 'imports' as const },
        })),
        ...(isMore ? [{ type: 'sweep_expired' as const, data: {} }] : []),
      ],
    });
    await deleteBytes(context, getKeysToDelete(rows));
  });

interface Expired {
  spaces: { id: string; organization: OrganizationId }[];
  collections: string[];
  blobs: string[];
  uploads: ExpiredUpload[];
}

const expiredRow = selection({ id: spaces.id, organization: spaces.organization });
const findExpiredSpaces = prepareQuery(expiredRow, (select, end: Parameter<number>) =>
  select
    .from(spaces)
    .where(and(isNotNull(spaces.deletedAt), isNull(spaces.purgingAt), lt(spaces.deletedAt, end)))
    .orderBy(spaces.deletedAt)
    .limit(maxRows),
);
const keyRow = selection({ key: fromQuery(String) });

async function findExpired(db: Database, end: number): Promise<Expired> {
  const expired = await runBatch(db, {
    spaces: findExpiredSpaces(end),
    collections: keyRow.query(sql`SELECT id AS key FROM collections WHERE ${isRemovable} LIMIT ${maxRows}`),
    blobs: keyRow.query(selectUnusedBlobs()),
    uploads: queryExpiredUploads(),
  });
  const getKeys = (rows: { key: string }[]) => rows.map(({ key }) => key);
  return { ...expired, collections: getKeys(expired.collections), blobs: getKeys(expired.blobs) };
}

/**
 * The SQL condition that a deleted collection contains nothing, live or in the trash, so no role is inherited from it.
 */
const isRemovable = sql`deleted_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.parent = collections.id)
  AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.parent = collections.id)`;

/**
 * Marks spaces as being purged; they can no longer be restored. Fails if one was just restored or marked by another
 * run, so that this run starts again.
 */
function beginPurges(db: Database, spaces: Expired['spaces'], end: number): Statement[] {
  if (spaces.length === 0) return [];
  const ids = JSON.stringify(spaces.map(({ id }) => id));
  const isPurgeable = sql`id IN (SELECT value FROM json_each(${ids})) AND purging_at IS NULL AND deleted_at < ${end}`;
  const count = sql.raw(String(spaces.length));
  return [
    abortUnless(db, sql`(SELECT COUNT(*) FROM spaces WHERE ${isPurgeable}) = ${count}`),
    db.run(sql`UPDATE spaces SET purging_at = ${Date.now()} WHERE ${isPurgeable}`),
  ];
}
