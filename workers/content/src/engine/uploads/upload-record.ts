import type { Database, Parameter, RecordOf } from '@octavo/db';
import { prepareQuery, readRow, selection, uploads } from '@octavo/db';
import { describeError, log, readSignedUrl, signUrl, toHex } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, conflict, createId, invalid, notFound } from '@octavo/schema';
import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm';

const uploadRow = selection(getTableColumns(uploads));
export type UploadRecord = RecordOf<typeof uploadRow>;

interface UploadName {
  id: string;
  organization: OrganizationId;
}

const matchesUpload = ({ id, organization }: UploadName) => sql`id = ${id} AND organization = ${organization}`;

const findCurrentUpload = prepareQuery(
  uploadRow,
  (select, id: Parameter<string>, organization: Parameter<OrganizationId>, now: Parameter<number>) =>
    select
      .from(uploads)
      .where(and(eq(uploads.id, id), eq(uploads.organization, organization), gt(uploads.expiresAt, now))),
);

/** Reads an upload that has not expired. @throws ApiError not_found */
export async function findUpload(db: Database, name: UploadName): Promise<UploadRecord> {
  const upload = await readRow(db, findCurrentUpload(name.id, name.organization, Date.now()));
  if (upload === undefined) throw notFound('upload');
  return upload;
}

/** The bytes in a request. */
interface RequestBytes {
  offset: number;
  /** Whether the bytes are the whole file. */
  isWhole: boolean;
  /** The number of bytes that follow, if known. */
  length: number | undefined;
}

/**
 * Makes a request the only writer of the bytes of an upload, from `offset` on; a previous writer loses the upload.
 * @throws ApiError not_found; invalid, if the request has other bytes than announced; conflict, if the upload is
 * complete or has not received exactly `offset` bytes
 */
export async function claimUpload(db: Database, name: UploadName, request: RequestBytes): Promise<UploadRecord> {
  const { offset, isWhole, length } = request;
  const fitsSize = length === undefined ? sql`1` : isWhole ? sql`size = ${length}` : sql`size >= ${offset + length}`;
  const isAtOffset = isWhole ? sql`1` : sql`received = ${offset}`;
  const take = db
    .update(uploads)
    .set({
      writer: createId('request'),
      turn: sql`turn + 1`,
      ...(offset === 0 ? { received: 0, parts: [] } : {}),
    })
    .where(
      sql`${matchesUpload(name)} AND expires_at > ${Date.now()} AND blob IS NULL AND ${isAtOffset} AND ${fitsSize}`,
    )
    .returning();
  const claimed = await readRow(db, uploadRow.query(take));
  if (claimed !== undefined) return claimed;
  throw toUploadError(await findUpload(db, name), request);
}

function toUploadError(
  { blob, size, received }: UploadRecord,
  { offset, isWhole, length = 0 }: RequestBytes,
): ApiError {
  if (blob !== null) return conflict(`The upload is already complete with ${size} bytes.`);
  if (!isWhole && received !== offset) return conflict(`The upload has ${received} bytes so far. Continue from there.`);
  return invalid([{ path: 'body', message: `ends at byte ${offset + length}, but ${size} bytes were announced` }]);
}

/**
 * Records the stored bytes of an upload, after each part, so that an aborted request loses at most one part.
 * @throws ApiError conflict, if another request has taken over
 */
export async function recordProgress(db: Database, upload: UploadRecord): Promise<void> {
  const { id, writer, received, multipart, parts } = upload;
  const note = db
    .update(uploads)
    .set({ received, multipart, parts })
    .where(sql`id = ${id} AND writer = ${writer}`)
    .returning();
  if ((await readRow(db, uploadRow.query(note))) === undefined) throw uploadConflict();
}

export const uploadConflict = () =>
  conflict('The upload has expired, or another request continues it. Check it with HEAD.');

/** Returns the key of an upload's bytes in the bucket; the tail is its incomplete last part. */
export const getObjectKey = (id: string): string => `uploads/${id}`;
export const getTailKey = (id: string): string => `uploads/${id}/tail`;

interface UploadTarget {
  /** The id of an upload, or of a bundle of files sent together. */
  id: string;
  isBundle: boolean;
  organization: OrganizationId;
  /** The expiry time, in milliseconds since 1970. */
  expiresAt: number;
}

/** Returns the signed path and query to which the bytes of an upload are sent. */
export const signUploadUrl = (
  key: CryptoKey,
  { id, isBundle, organization, expiresAt }: UploadTarget,
): Promise<string> =>
  signUrl(key, `/uploads/${organization}/${id}${isBundle ? '/files' : ''}`, {
    expires: String(Math.floor(expiresAt / 1000)),
  });

const kind = { objectName: 'file upload', renew: 'ask the API' };

/** Checks the signature and expiry of an upload URL. @throws ApiError not_found or forbidden */
export const checkUploadUrl = async (request: Request, key: CryptoKey): Promise<void> => {
  await readSignedUrl(request, key, kind);
};

/**
 * Size of a part in bytes. R2 requires at least 5 MiB, and equal sizes except for the last part. Smaller files are not
 * uploaded in parts.
 */
export const partBytes = 5 * 1024 * 1024;

/**
 * Number of part numbers reserved for each position in the file, out of R2's 10,000. A request that lost the upload
 * without knowing writes another part number than the request that took over, so it overwrites nothing.
 */
const partNumbersPerPosition = 400;

/** The bucket no longer has the parts: they were aborted, or completed into one object. */
export class PartsMissing extends Error {
  override name = 'PartsAreGone';
}

/** Stores the next part of an upload and adds it to the record. @throws PartsMissing, ApiError unavailable */
export async function storePart(files: R2Bucket, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const object = getObjectKey(upload.id);
  const partNumber = upload.parts.length * partNumbersPerPosition + (upload.turn % partNumbersPerPosition) + 1;
  try {
    upload.multipart ??= (await files.createMultipartUpload(object)).uploadId;
    const { etag } = await files.resumeMultipartUpload(object, upload.multipart).uploadPart(partNumber, bytes);
    upload.parts.push({ partNumber, etag });
  } catch (error) {
    throw toPartError(error, upload);
  }
}

/** Completes the parts into one object. @throws PartsMissing, ApiError unavailable */
export async function completeParts(files: R2Bucket, { id, ...upload }: UploadRecord): Promise<void> {
  try {
    await files.resumeMultipartUpload(getObjectKey(id), upload.multipart ?? '').complete(upload.parts);
  } catch (error) {
    throw toPartError(error, { id });
  }
}

/** Aborts a multipart upload. Failures are only logged, because R2 ends unfinished ones after a week. */
export const dropParts = (files: R2Bucket, id: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(getObjectKey(id), multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'could not abort a multipart upload', { upload: id, cause: String(error) }));

/** R2's errors for missing or mismatched parts, or a missing multipart upload. */
const missingPartsPattern = /\((?:10024|10025|10048)\)|does not exist|could not be found/;

function toPartError(error: unknown, { id }: Pick<UploadRecord, 'id'>): Error {
  if (missingPartsPattern.test(String(error))) return new PartsMissing(String(error));
  log('error', 'could not store a part', { upload: id, cause: describeError(error) });
  return new ApiError('unavailable', 'The bytes could not be stored. Continue from the last received byte.');
}

/** Maximum memory that all requests together may use, out of the 128 MB of an isolate. */
const maxReservedBytes = 64 * 1024 * 1024;
/**
 * Memory that a request uses besides its part: the read buffer and the beginning of the file. If a request exceeds the
 * limit, the client should repeat it after `retryAfterSeconds`.
 */
const overheadBytes = 512 * 1024;
const retryAfterSeconds = 1;
/** Reservations are released after this time, because a request ended by the runtime does not release its own. */
const maxReservationMilliseconds = 3_600_000;

interface Reservation {
  bytes: number;
  reservedAt: number;
}

const reservations = new Set<Reservation>();

/**
 * Reserves memory for the bytes of a request. The bytes count twice, because the bucket and the hashing each copy them:
 * 10.5 MiB if the length is at least one part, or unknown. Returns a function that releases the memory.
 * @throws ApiError unavailable, with a short retry delay, if no memory is left
 */
export function reserveMemory(length: number | undefined): () => void {
  const now = Date.now();
  const bytes = 2 * Math.min(length ?? partBytes, partBytes) + overheadBytes;
  let sum = bytes;
  for (const reservation of reservations) {
    if (now - reservation.reservedAt > maxReservationMilliseconds) reservations.delete(reservation);
    else sum += reservation.bytes;
  }
  if (sum > maxReservedBytes) throw createOutOfMemoryError();
  const newReservation = { bytes, reservedAt: now };
  reservations.add(newReservation);
  return () => reservations.delete(newReservation);
}

function createOutOfMemoryError(): ApiError {
  const error = new ApiError('unavailable', 'Too many uploads are in progress. Try again in a few seconds.');
  error.retryAfter = retryAfterSeconds;
  return error;
}

/** Number of bytes from which a file's type and dimensions are read. */
const headBytes = 256 * 1024;

/** Data derived from the bytes of a file. */
export interface FileDigest {
  /** The SHA-256 of the bytes in lowercase hex. */
  hash: string;
  /** The git blob id of the bytes. */
  oid: string;
  head: Uint8Array;
}

/** Hashes a stream of bytes and stores its first bytes. */
export class FileHasher {
  readonly #streams: { digest: Promise<ArrayBuffer>; writer: WritableStreamDefaultWriter }[];
  readonly #head: Uint8Array;
  #headLength = 0;

  /** @param size The total number of bytes, which is part of git's hash input. */
  constructor(size: number) {
    this.#streams = ['SHA-256', 'SHA-1'].map((algorithm) => {
      const stream = new crypto.DigestStream(algorithm);
      // The hash of an aborted stream is never read.
      stream.digest.catch(() => undefined);
      return { digest: stream.digest, writer: stream.getWriter() };
    });
    this.#head = new Uint8Array(Math.min(size, headBytes));
    void this.#streams[1]?.writer.write(new TextEncoder().encode(`blob ${size}\0`));
  }

  async add(bytes: Uint8Array): Promise<void> {
    const part = bytes.subarray(0, this.#head.length - this.#headLength);
    this.#head.set(part, this.#headLength);
    this.#headLength += part.length;
    await Promise.all(this.#streams.map(({ writer }) => writer.write(bytes)));
  }

  async end(): Promise<FileDigest> {
    const [hash = '', oid = ''] = await Promise.all(
      this.#streams.map(async ({ digest, writer }) => {
        await writer.close();
        return toHex(await digest);
      }),
    );
    return { hash, oid, head: this.#head };
  }

  /** Releases the streams when the bytes ended early. */
  async drop(): Promise<void> {
    await Promise.all(this.#streams.map(({ writer }) => writer.abort().catch(() => undefined)));
  }
}

/** Computes the digest of a stored object. */
export async function computeDigest({ body, size }: R2ObjectBody): Promise<FileDigest> {
  const digests = new FileHasher(size);
  for await (const bytes of body as ReadableStream<Uint8Array>) await digests.add(bytes);
  return digests.end();
}
