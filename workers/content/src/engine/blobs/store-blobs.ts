import type { Database, Statement } from '@octavo/db';
import { abortUnless, blobs, createOrderKeyAtEnd, fromQuery, runBatch, selection } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, createId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { Dimensions, NamedBytes } from './content-type.ts';
import { detectContentType, readDimensions, refineTypeByName } from './content-type.ts';

/** A stored blob: bytes in the bucket. */
export interface StoredBlob extends Partial<Dimensions> {
  /**
   * The key in the bucket: `<organization>/<SHA-256>`. Equal bytes of two organizations are two objects, so neither
   * reveals that the other exists.
   */
  key: string;
  bytes: number;
  contentType: string;
  /** The git blob id of the bytes. */
  oid: string;
}

const maxParallelPuts = 5;

/**
 * Stores bytes in the bucket: claims the rows of the blobs in one statement, then uploads the missing bytes. The blobs
 * are kept for an hour, and permanently once the commit that refers to them settles them (`settleBlobs`). Returns one
 * blob for each input.
 * @throws ApiError unavailable, while equal bytes are being deleted
 */
export async function storeBlobs(
  env: Pick<ContentEnvironment, 'FILES'>,
  db: Database,
  organization: OrganizationId,
  inputs: NamedBytes[],
): Promise<StoredBlob[]> {
  if (inputs.length === 0) return [];
  // Inputs are described one after another, because each call copies the bytes, and a batch can have many bytes.
  const blobs: StoredBlob[] = [];
  for (const input of inputs) blobs.push(await describeBlob(organization, input));
  const distinct = [...new Map(blobs.map((blob, index) => [blob.key, { blob, index }])).values()];
  const distinctBlobs = distinct.map(({ blob }) => blob);
  const claims = await runBatch(db, claimBlobs(organization, distinctBlobs));
  if (claims.length < distinct.length)
    throw new ApiError('unavailable', 'A file with this content is being deleted. Try again in a few seconds.');
  const settled = new Set(claims.filter((row) => row.settled).map(({ key }) => key));
  const missing = distinct.filter(({ blob }) => !settled.has(blob.key));
  for (let start = 0; start < missing.length; start += maxParallelPuts) {
    const chunk = missing.slice(start, start + maxParallelPuts);
    await Promise.all(chunk.map(({ blob, index }) => env.FILES.put(blob.key, inputs[index]?.bytes ?? null)));
  }
  return blobs;
}

async function describeBlob(organization: OrganizationId, input: NamedBytes): Promise<StoredBlob> {
  const { bytes } = input;
  const contentType = detectContentType(input);
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`);
  const framed = new Uint8Array(header.length + bytes.length);
  framed.set(header);
  framed.set(bytes, header.length);
  const [hash, oid] = await Promise.all([computeDigest('SHA-256', bytes), computeDigest('SHA-1', framed)]);
  return {
    key: `${organization}/${hash}`,
    bytes: bytes.length,
    contentType,
    oid,
    ...readDimensions(bytes, contentType),
  };
}

const computeDigest = async (algorithm: string, bytes: Uint8Array): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest(algorithm, bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

const claimedRow = selection({ key: fromQuery(blobs.key), settled: fromQuery(blobs.settled) });

/** A blob marked for deletion is not claimed and returns no row: its bytes may be deleted a moment later. */
const claimBlobs = (organization: OrganizationId, blobs: StoredBlob[]) =>
  claimedRow.query(sql`
    INSERT INTO blobs (key, organization, bytes, content_type, width, height, claimed_at, settled)
    SELECT value->>'key', ${organization}, value->>'bytes', value->>'contentType', value->>'width', value->>'height',
      ${Date.now()}, 0
    FROM json_each(${JSON.stringify(blobs)}) WHERE 1
    ON CONFLICT (key) DO UPDATE SET claimed_at = excluded.claimed_at WHERE doomed_at IS NULL
    RETURNING key, settled`);

/**
 * Returns the statements that keep blobs permanently. They are part of the commit that writes versions with these
 * blobs. The commit fails if a blob was deleted.
 */
export function settleBlobs(db: Database, keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const selectedKeys = sql`SELECT value FROM json_each(${JSON.stringify(keys)})`;
  return [
    abortUnless(
      db,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(keys)}) w LEFT JOIN blobs b ON b.key = w.value
        WHERE b.key IS NULL OR b.doomed_at IS NOT NULL)`,
    ),
    db.run(sql`UPDATE blobs SET settled = 1 WHERE key IN (${selectedKeys}) AND settled = 0`),
    db.run(sql`UPDATE uploads SET settled = 1 WHERE blob IN (${selectedKeys}) AND settled = 0`),
  ];
}

interface NewFile {
  id?: string | undefined;
  name: string;
  gitPath?: string | undefined;
  importedFrom?: string | undefined;
  now: number;
}

/** Creates a file node for stored bytes. Its position is its creation time, so files are listed in this order. */
export const createFile = (
  blob: StoredBlob,
  { id = createId('file'), name, gitPath, importedFrom, now }: NewFile,
): Node => ({
  kind: 'file',
  id,
  parent: '',
  position: createOrderKeyAtEnd(now),
  slug: '',
  fields: {
    name,
    ...toByteFields(blob),
    ...(gitPath === undefined ? {} : { gitPath }),
    ...(importedFrom === undefined ? {} : { importedFrom }),
  },
  document: null,
  createdAt: now,
  updatedAt: now,
});

const toByteFields = ({ key, bytes, contentType, oid, width, height }: StoredBlob): Node['fields'] => ({
  blob: key,
  size: bytes,
  contentType,
  oid,
  ...(width === undefined || height === undefined ? {} : { width, height }),
});

/**
 * Returns the fields of a file whose bytes are replaced. The type is refined by the file's name, as when the file was
 * created.
 */
export function replaceBytes({ width, height, ...keptFields }: Node['fields'], blob: StoredBlob): Node['fields'] {
  const contentType = refineTypeByName(blob.contentType, String(keptFields.name ?? ''));
  return { ...keptFields, ...toByteFields({ ...blob, contentType }) };
}
