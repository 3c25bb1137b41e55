import type { Database, Statement } from '@octavo/db';
import { deleteCollections, given, must, retryOnConflict, runBatch, selection } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { deleteBytes, doomedIn, selectLeftBlobs, sweepBlobs } from '../engine/retention/blobs.ts';
import { maxRows } from '../engine/retention/part.ts';
import { endOfTrash } from '../engine/retention/time-in-trash.ts';
import type { LeftUpload } from '../engine/retention/uploads.ts';
import { deleteUploaded, forgetUploads, leftUploads } from '../engine/retention/uploads.ts';
import type { Job } from './job.ts';

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

const spaceRow = selection({ id: given(String), organization: given(String) });
const keyRow = selection({ key: given(String) });

async function findExpired(db: Database, end: number): Promise<Expired> {
  const { spaces, collections, blobs, uploads } = await runBatch(db, {
    spaces: spaceRow.query(sql`SELECT id, organization FROM spaces WHERE deleted_at IS NOT NULL AND purging_at IS NULL
      AND deleted_at < ${end} ORDER BY deleted_at LIMIT ${maxRows}`),
    collections: keyRow.query(sql`SELECT id AS key FROM collections WHERE ${isExpired} LIMIT ${maxRows}`),
    blobs: keyRow.query(selectLeftBlobs()),
    uploads: leftUploads(),
  });
  return { spaces, collections: collections.map(({ key }) => key), blobs: blobs.map(({ key }) => key), uploads };
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
    must(db, sql`(SELECT COUNT(*) FROM spaces WHERE ${waiting}) = ${count}`),
    db.run(sql`UPDATE spaces SET purging_at = ${Date.now()} WHERE ${waiting}`),
  ];
}
