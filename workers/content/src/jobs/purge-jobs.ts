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
import type { LeftUpload, PurgeData, PurgePart, Stage } from '../engine/retention/retention.ts';
import {
  deleteBytes,
  deleteUploaded,
  doomedIn,
  endOfTrash,
  forgetUploads,
  leftUploads,
  maxRows,
  purgeBranches,
  purgeChangeRequests,
  purgeImports,
  purgeRevisions,
  purgeRow,
  purgeSearch,
  purgeVersions,
  selectLeftBlobs,
  sweepBlobs,
} from '../engine/retention/retention.ts';
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

/** One step: a bounded part of what is left of a space that is being purged, or of one whose row is gone already. */
export const purgeSpace: Job<'purge_space'> = async (taken, context) => {
  const { space, data } = taken;
  const { stage, after } = data;
  if (space === null) throw new Error('The job has no space.');
  if (await checkCondition(context.db, isLive(space))) {
    await commitStep(context, taken, { statements: [] });
    return;
  }
  const part = await stages[stage](context.db, { space, after, files: context.env.FILES });
  const purge = () => write(context, taken, { space, part });
  // Where something was written since: from the start once more.
  const restart = () => write(context, taken, { space, part: { statements: [], next: { stage: 'imports' } } });
  const rows = stage === 'space' ? ((await ignoreConflict(purge)) ?? (await restart())) : await purge();
  await deleteBytes(context, doomedIn(rows));
};

/** The space is not being purged: nothing of it may go. */
const isLive = (space: SpaceId) =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND (deleted_at IS NULL OR purging_at IS NULL))`;

function write(
  { db, ...context }: JobContext,
  taken: OutboxEvent,
  { space, part }: { space: SpaceId; part: PurgePart },
) {
  const purged = abortUnless(db, sql`NOT ${isLive(space)}`);
  const owner = taken.organization === null ? {} : { organization: taken.organization };
  const next = part.next === undefined ? [] : [{ type: 'purge_space' as const, ...owner, space, data: part.next }];
  return commitStep({ db, ...context }, taken, {
    statements: [purged, ...part.statements],
    events: [...(part.events ?? []), ...next],
  });
}

/** A bounded part of what is over its time, and a next step as long as there is more. */
export const sweepExpired: Job<'sweep_expired'> = (taken, context) =>
  retryOnConflict(async () => {
    const { db } = context;
    const end = endOfTrash(Date.now());
    const { spaces, collections, blobs, uploads } = await findExpired(db, end);
    const isMore =
      spaces.length === maxRows || collections.length > 0 || blobs.length >= maxRows || uploads.length === maxRows;
    await deleteUploaded(context.env, uploads);
    const rows = await commitStep(context, taken, {
      statements: [
        ...beginPurges(db, spaces, end),
        ...(collections.length === 0 ? [] : deleteCollections(db, collections, isExpired)),
        ...sweepBlobs(db, blobs),
        ...forgetUploads(db, uploads),
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
    await deleteBytes(context, doomedIn(rows));
  });

interface Expired {
  spaces: { id: string; organization: OrganizationId }[];
  collections: string[];
  blobs: string[];
  uploads: LeftUpload[];
}

const expiredRow = selection({ id: spaces.id, organization: spaces.organization });
const expiredSpaces = prepareQuery(expiredRow, (select, end: Parameter<number>) =>
  select
    .from(spaces)
    .where(and(isNotNull(spaces.deletedAt), isNull(spaces.purgingAt), lt(spaces.deletedAt, end)))
    .orderBy(spaces.deletedAt)
    .limit(maxRows),
);
const keyRow = selection({ key: fromQuery(String) });

async function findExpired(db: Database, end: number): Promise<Expired> {
  const expired = await runBatch(db, {
    spaces: expiredSpaces(end),
    collections: keyRow.query(sql`SELECT id AS key FROM collections WHERE ${isExpired} LIMIT ${maxRows}`),
    blobs: keyRow.query(selectLeftBlobs()),
    uploads: leftUploads(),
  });
  const keysOf = (rows: { key: string }[]) => rows.map(({ key }) => key);
  return { ...expired, collections: keysOf(expired.collections), blobs: keysOf(expired.blobs) };
}

/** Nothing hangs on the collection, live or in the trash: nobody's level stems from it any more. */
const isExpired = sql`deleted_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.parent = collections.id)
  AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.parent = collections.id)`;

/** From here on the spaces cannot be restored; one that just was, or that another run took, makes this run look again. */
function beginPurges(db: Database, spaces: Expired['spaces'], end: number): Statement[] {
  if (spaces.length === 0) return [];
  const ids = JSON.stringify(spaces.map(({ id }) => id));
  const waiting = sql`id IN (SELECT value FROM json_each(${ids})) AND purging_at IS NULL AND deleted_at < ${end}`;
  const count = sql.raw(String(spaces.length));
  return [
    abortUnless(db, sql`(SELECT COUNT(*) FROM spaces WHERE ${waiting}) = ${count}`),
    db.run(sql`UPDATE spaces SET purging_at = ${Date.now()} WHERE ${waiting}`),
  ];
}
