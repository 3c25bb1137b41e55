import type { Database } from '@octavo/db';
import { fromQuery, nullable, type readRows, runBatch, selection, uploads } from '@octavo/db';
import type { OrganizationId, UserId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { refineType } from '../blobs/content-type.ts';
import type { StoredBlob } from '../blobs/store-blobs.ts';

const u = aliasedTable(uploads, 'u');
const uploadRow = selection({
  ...{ id: u.id, blob: u.blob, oid: u.oid, contentType: u.contentType },
  ...{ size: u.size, received: u.received, width: u.width, height: u.height },
  object: nullable(fromQuery(String)),
});

/** The user who may use uploads. */
interface Owner {
  organization: OrganizationId;
  user: UserId;
}

/** A complete upload, or the progress of an incomplete one. */
type FoundUpload = UsableUpload | { received: number; size: number };

interface UsableUpload {
  blob: StoredBlob;
  /** The key of the bytes in the bucket. */
  object: string;
}

/** Returns the error message for an upload that cannot be used. */
export const describeUnusableUpload = (upload: Exclude<FoundUpload, UsableUpload> | undefined): string =>
  upload === undefined
    ? 'is not one of your uploads in this organization, or has expired'
    : `is incomplete: ${upload.received} of ${upload.size} bytes were uploaded`;

/**
 * Finds uploads of a user by id that have not expired and whose bytes exist. Complete uploads are kept for another day.
 * One round trip.
 */
export async function findUploads(db: Database, { organization, user }: Owner, keys: string[]) {
  const now = Date.now();
  const uploads = sql`u.id IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND u.organization = ${organization}
    AND u.created_by = ${user} AND u.expires_at > ${now}`;
  const { found } = await runBatch(db, {
    found: uploadRow.query(sql`SELECT ${uploadRow.with({ object: sql`b.object` })} FROM uploads u
      LEFT JOIN blobs b ON b.key = u.blob AND b.doomed_at IS NULL WHERE ${uploads} AND (u.blob IS NULL OR b.key IS NOT NULL)`),
    claimed: db.run(sql`UPDATE blobs SET claimed_at = ${now}
      WHERE key IN (SELECT u.blob FROM uploads u WHERE ${uploads}) AND doomed_at IS NULL`),
  });
  return new Map(found.map((row): [string, FoundUpload] => [row.id, toFoundUpload(row)]));
}

type UploadRow = Awaited<ReturnType<typeof readRows<ReturnType<typeof uploadRow.read>>>>[number];

function toFoundUpload({ blob, oid, contentType, size, received, width, height, object }: UploadRow): FoundUpload {
  if (blob === null || oid === null) return { received, size };
  const dimensions = width === null || height === null ? {} : { width, height };
  return { blob: { key: blob, bytes: size, contentType, oid, ...dimensions }, object: object ?? blob };
}

/** Refines the type of an upload's blob for the file that uses it. */
export const refineBlobType = (
  blob: StoredBlob,
  file: { name: string; contentType?: string | undefined },
): StoredBlob => ({
  ...blob,
  contentType: refineType(blob.contentType, file),
});
