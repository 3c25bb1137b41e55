import type { Database, RecordOf } from '@octavo/db';
import { given, runBatch, selection, uploads } from '@octavo/db';
import { ApiError } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { contentTypeOf } from '../blobs/content-type.ts';
import { dimensionsOf } from '../blobs/dimensions.ts';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import { storeBlobs } from '../blobs/store-blobs.ts';
import type { Digested } from './digests.ts';
import { objectOf, tailOf } from './upload-address.ts';
import type { UploadRecord } from './upload-record.ts';
import { takenOver } from './upload-record.ts';

interface Finishing {
  env: Pick<ContentEnvironment, 'FILES'>;
  db: Database;
}

/** A file of no more than a part is stored as one that a batch brings along. */
export async function finishSmall({ env, db }: Finishing, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const { organization, name, contentType } = upload;
  const [blob] = await storeBlobs(env, db, organization, [{ bytes, name, contentType }]);
  if (blob === undefined) throw new Error('Bytes were stored as no blob.');
  const { noted, standing } = await runBatch(db, { noted: note(upload, blob), standing: standingOf(upload) });
  if (noted.length === 0) return checkDone(upload, blob, standing[0]);
  if (upload.received > 0) await env.FILES.delete(tailOf(upload.id));
}

const standingRow = selection({ writer: uploads.writer, blob: uploads.blob });

const standingOf = ({ id }: UploadRecord) =>
  standingRow.query(sql`SELECT ${standingRow} FROM uploads WHERE id = ${id} AND expires_at > ${Date.now()}`);

/** Of two requests that bring the same bytes both are done; of others the later one. @throws ApiError */
function checkDone(
  { writer }: UploadRecord,
  { key }: StoredBlob,
  standing: RecordOf<typeof standingRow> | undefined,
): void {
  if (standing?.blob === key) return;
  if (standing?.writer !== writer) throw takenOver();
  throw new ApiError('unavailable', 'Such a file is being deleted: try again.');
}

const claimedRow = selection({ object: given(String) });
const notedRow = selection({ noted: given(String) });

/**
 * The bytes stay where they came to, and their blob says so; where there is such a blob already, they are given up.
 * @throws ApiError conflict, where another request goes on; unavailable, while equal bytes are being deleted
 */
export async function finishLarge({ env, db }: Finishing, upload: UploadRecord, digested: Digested): Promise<void> {
  const { id, organization, name, size } = upload;
  const { hash, oid, head } = digested;
  const contentType = contentTypeOf({ bytes: head, name, contentType: upload.contentType });
  const blob = { key: `${organization}/${hash}`, bytes: size, contentType, oid, ...dimensionsOf(head, contentType) };
  const { claimed, noted, standing } = await runBatch(db, {
    claimed: claim(upload, blob),
    noted: note(upload, blob),
    standing: standingOf(upload),
  });
  if (noted.length === 0) return checkDone(upload, blob, standing[0]);
  const isKept = claimed.some(({ object }) => object === objectOf(id));
  await env.FILES.delete([tailOf(id), ...(isKept ? [] : [objectOf(id)])]);
}

const ours = ({ id, writer }: UploadRecord) => sql`id = ${id} AND writer = ${writer} AND expires_at > ${Date.now()}`;

/** As `storeBlobs` claims; a blob whose bytes nobody can be sure of yet gets those of the upload. */
const claim = (upload: UploadRecord, { key, bytes, contentType, width, height }: StoredBlob) =>
  claimedRow.query(sql`
    INSERT INTO blobs (key, organization, bytes, content_type, width, height, claimed_at, settled, object)
    SELECT ${key}, organization, ${bytes}, ${contentType}, ${width ?? null}, ${height ?? null}, ${Date.now()}, 0,
      ${objectOf(upload.id)} FROM uploads WHERE ${ours(upload)}
    ON CONFLICT (key) DO UPDATE SET claimed_at = excluded.claimed_at,
      object = CASE WHEN settled OR object IS NOT NULL THEN object ELSE excluded.object END WHERE doomed_at IS NULL
    RETURNING COALESCE(object, '') AS ${claimedRow.names.object}`);

/** Notes the blob of an upload, if that may be used. */
const note = (upload: UploadRecord, { key, contentType, oid, width, height }: StoredBlob) =>
  notedRow.query(sql`
    UPDATE uploads SET blob = ${key}, received = size, content_type = ${contentType}, oid = ${oid},
      width = ${width ?? null}, height = ${height ?? null},
      settled = COALESCE((SELECT b.settled FROM blobs b WHERE b.key = ${key}), 0)
    WHERE ${ours(upload)} AND EXISTS (SELECT 1 FROM blobs b WHERE b.key = ${key} AND b.doomed_at IS NULL)
    RETURNING id AS ${notedRow.names.noted}`);
