import type { Database, Statement } from '@octavo/db';
import { blobs, given, must, orderKeyAtEnd, runBatch, selection } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { Dimensions, NamedBytes } from './content-type.ts';
import { contentTypeOf, dimensionsOf, typeByName } from './content-type.ts';

/** Bytes in the bucket. */
export interface StoredBlob extends Partial<Dimensions> {
  /** `<organization>/<SHA-256>`: equal bytes of two organizations are two objects, so that none tells of another's. */
  key: string;
  bytes: number;
  contentType: string;
  /** The id that git gives a blob with these bytes. */
  oid: string;
}

const putsAtOnce = 5;

/**
 * Puts bytes into the bucket: first their rows are claimed, in one statement, then what is not there yet is put. They
 * stay for an hour; the commit that refers to them settles them (`settleBlobs`). Gives one blob for each input.
 * @throws ApiError unavailable, while equal bytes are being deleted
 */
export async function storeBlobs(
  env: Pick<ContentEnvironment, 'FILES'>,
  db: Database,
  organization: OrganizationId,
  inputs: NamedBytes[],
): Promise<StoredBlob[]> {
  if (inputs.length === 0) return [];
  // One after the other: each takes a copy of its bytes, and those of a batch are many.
  const described: StoredBlob[] = [];
  for (const input of inputs) described.push(await describeBlob(organization, input));
  const unlike = [...new Map(described.map((blob, index) => [blob.key, { blob, index }])).values()];
  const stored = unlike.map(({ blob }) => blob);
  const claimed = await runBatch(db, claim(organization, stored));
  if (claimed.length < unlike.length)
    throw new ApiError('unavailable', 'Such a file is being deleted: try again shortly.');
  const settled = new Set(claimed.filter((row) => row.settled).map(({ key }) => key));
  const missing = unlike.filter(({ blob }) => !settled.has(blob.key));
  for (let start = 0; start < missing.length; start += putsAtOnce) {
    const some = missing.slice(start, start + putsAtOnce);
    await Promise.all(some.map(({ blob, index }) => env.FILES.put(blob.key, inputs[index]?.bytes ?? null)));
  }
  return described;
}

async function describeBlob(organization: OrganizationId, input: NamedBytes): Promise<StoredBlob> {
  const { bytes } = input;
  const contentType = contentTypeOf(input);
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`);
  const framed = new Uint8Array(header.length + bytes.length);
  framed.set(header);
  framed.set(bytes, header.length);
  const [hash, oid] = await Promise.all([digest('SHA-256', bytes), digest('SHA-1', framed)]);
  return { key: `${organization}/${hash}`, bytes: bytes.length, contentType, oid, ...dimensionsOf(bytes, contentType) };
}

const digest = async (algorithm: string, bytes: Uint8Array): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest(algorithm, bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

const claimedRow = selection({ key: given(blobs.key), settled: given(blobs.settled) });

/** A doomed row is not claimed and gives no row: its bytes may be gone a moment later. */
const claim = (organization: OrganizationId, wanted: StoredBlob[]) =>
  claimedRow.query(sql`
    INSERT INTO blobs (key, organization, bytes, content_type, width, height, claimed_at, settled)
    SELECT value->>'key', ${organization}, value->>'bytes', value->>'contentType', value->>'width', value->>'height',
      ${Date.now()}, 0
    FROM json_each(${JSON.stringify(wanted)}) WHERE 1
    ON CONFLICT (key) DO UPDATE SET claimed_at = excluded.claimed_at WHERE doomed_at IS NULL
    RETURNING key, settled`);

/** For the commit that writes versions with these blobs: they stay from now on, and must still be there. */
export function settleBlobs(db: Database, keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const wanted = sql`SELECT value FROM json_each(${JSON.stringify(keys)})`;
  return [
    must(
      db,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(keys)}) w LEFT JOIN blobs b ON b.key = w.value
        WHERE b.key IS NULL OR b.doomed_at IS NOT NULL)`,
    ),
    db.run(sql`UPDATE blobs SET settled = 1 WHERE key IN (${wanted}) AND settled = 0`),
    db.run(sql`UPDATE uploads SET settled = 1 WHERE blob IN (${wanted}) AND settled = 0`),
  ];
}

interface NewFile {
  name: string;
  gitPath?: string | undefined;
  now: number;
}

/** A file of a space's content whose bytes are stored. Its position is the moment of its making: files are listed by it. */
export const newFile = (blob: StoredBlob, { name, gitPath, now }: NewFile): Node => ({
  kind: 'file',
  id: newId('file'),
  parent: '',
  position: orderKeyAtEnd(now),
  slug: '',
  fields: { name, ...bytesOf(blob), ...(gitPath === undefined ? {} : { gitPath }) },
  document: null,
  createdAt: now,
  updatedAt: now,
});

/** The fields of a file that follow from its bytes. */
const bytesOf = ({ key, bytes, contentType, oid, width, height }: StoredBlob): Node['fields'] => ({
  blob: key,
  size: bytes,
  contentType,
  oid,
  ...(width === undefined || height === undefined ? {} : { width, height }),
});

/** The fields of a file that gets other bytes: its name says of these what it would of the first ones. */
export function withBytes({ width, height, ...kept }: Node['fields'], blob: StoredBlob): Node['fields'] {
  const contentType = typeByName(blob.contentType, String(kept.name ?? ''));
  return { ...kept, ...bytesOf({ ...blob, contentType }) };
}
