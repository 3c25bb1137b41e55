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

/** Whose uploads may be used. */
interface Owner {
  organization: OrganizationId;
  user: UserId;
}

/** An upload that may be used, or how much there is of one that is not whole yet. */
type FoundUpload = UsableUpload | { received: number; size: number };

interface UsableUpload {
  blob: StoredBlob;
  /** Where the bytes are in the bucket. */
  object: string;
}

/** Why an upload may not be used. */
export const messageOfUnfit = (upload: Exclude<FoundUpload, UsableUpload> | undefined): string =>
  upload === undefined
    ? 'is not one of your uploads in this organization, or has expired'
    : `is incomplete: ${upload.received} of ${upload.size} bytes were uploaded`;

/**
 * The uploads of a person by their keys, as far as there are any that are not over their time and have not lost their
 * bytes; what is whole stays for another day. One round trip.
 */
export async function findUploads(db: Database, { organization, user }: Owner, keys: string[]) {
  const now = Date.now();
  const wanted = sql`u.id IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND u.organization = ${organization}
    AND u.created_by = ${user} AND u.expires_at > ${now}`;
  const { found } = await runBatch(db, {
    found: uploadRow.query(sql`SELECT ${uploadRow.with({ object: sql`b.object` })} FROM uploads u
      LEFT JOIN blobs b ON b.key = u.blob AND b.doomed_at IS NULL WHERE ${wanted} AND (u.blob IS NULL OR b.key IS NOT NULL)`),
    claimed: db.run(sql`UPDATE blobs SET claimed_at = ${now}
      WHERE key IN (SELECT u.blob FROM uploads u WHERE ${wanted}) AND doomed_at IS NULL`),
  });
  return new Map(found.map((row): [string, FoundUpload] => [row.id, foundAs(row)]));
}

type UploadRow = Awaited<ReturnType<typeof readRows<ReturnType<typeof uploadRow.read>>>>[number];

function foundAs({ blob, oid, contentType, size, received, width, height, object }: UploadRow): FoundUpload {
  if (blob === null || oid === null) return { received, size };
  const dimensions = width === null || height === null ? {} : { width, height };
  return { blob: { key: blob, bytes: size, contentType, oid, ...dimensions }, object: object ?? blob };
}

/** The blob of an upload as the file that it becomes has it. */
export const namedBlob = (blob: StoredBlob, file: { name: string; contentType?: string | undefined }): StoredBlob => ({
  ...blob,
  contentType: refineType(blob.contentType, file),
});
