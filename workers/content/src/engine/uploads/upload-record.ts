import type { Database, Parameter, RecordOf } from '@octavo/db';
import { prepareQuery, readRow, selection, uploads } from '@octavo/db';
import { describeError, log, readSignedUrl, signUrl, toHex } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, conflict, invalid, newId, notFound } from '@octavo/schema';
import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm';

const uploadRow = selection(getTableColumns(uploads));
export type UploadRecord = RecordOf<typeof uploadRow>;

interface UploadName {
  id: string;
  organization: OrganizationId;
}

const named = ({ id, organization }: UploadName) => sql`id = ${id} AND organization = ${organization}`;

const currentUpload = prepareQuery(
  uploadRow,
  (select, id: Parameter<string>, organization: Parameter<OrganizationId>, now: Parameter<number>) =>
    select
      .from(uploads)
      .where(and(eq(uploads.id, id), eq(uploads.organization, organization), gt(uploads.expiresAt, now))),
);

/** An upload that is not over its time. @throws ApiError not_found */
export async function findUpload(db: Database, name: UploadName): Promise<UploadRecord> {
  const found = await readRow(db, currentUpload(name.id, name.organization, Date.now()));
  if (found === undefined) throw notFound('upload');
  return found;
}

/** The bytes that a request brings. */
interface BroughtBytes {
  offset: number;
  /** Whether they are all that there are. */
  isWhole: boolean;
  /** How many they are, where that is told. */
  length: number | undefined;
}

/**
 * Makes a request the one that writes the bytes of an upload from `offset` on; whichever wrote before it ends.
 * @throws ApiError not_found; invalid, where it brings other bytes than were announced; conflict, where the upload has
 *   all of its bytes or others than `offset` many
 */
export async function takeUpload(db: Database, name: UploadName, brought: BroughtBytes): Promise<UploadRecord> {
  const { offset, isWhole, length } = brought;
  const fits = length === undefined ? sql`1` : isWhole ? sql`size = ${length}` : sql`size >= ${offset + length}`;
  const isThere = isWhole ? sql`1` : sql`received = ${offset}`;
  const take = db
    .update(uploads)
    .set({
      writer: newId('request'),
      turn: sql`turn + 1`,
      ...(offset === 0 ? { received: 0, parts: [] } : {}),
    })
    .where(sql`${named(name)} AND expires_at > ${Date.now()} AND blob IS NULL AND ${isThere} AND ${fits}`)
    .returning();
  const taken = await readRow(db, uploadRow.query(take));
  if (taken !== undefined) return taken;
  throw refusalOf(await findUpload(db, name), brought);
}

function refusalOf({ blob, size, received }: UploadRecord, { offset, isWhole, length = 0 }: BroughtBytes): ApiError {
  if (blob !== null) return conflict(`The upload is already complete with ${size} bytes.`);
  if (!isWhole && received !== offset) return conflict(`The upload has ${received} bytes so far. Continue from there.`);
  return invalid([{ path: 'body', message: `ends at byte ${offset + length}, but ${size} bytes were announced` }]);
}

/**
 * Notes what is stored of an upload. Each part is noted when it is there, so that a break costs no more than one.
 * @throws ApiError conflict, where another request writes meanwhile
 */
export async function noteStored(db: Database, upload: UploadRecord): Promise<void> {
  const { id, writer, received, multipart, parts } = upload;
  const note = db
    .update(uploads)
    .set({ received, multipart, parts })
    .where(sql`id = ${id} AND writer = ${writer}`)
    .returning();
  if ((await readRow(db, uploadRow.query(note))) === undefined) throw takenOver();
}

export const takenOver = () => conflict('Another request continues this upload, or the upload has expired.');

/** Where the bytes of an upload come to in the bucket, and what of them is no whole part yet. */
export const objectOf = (id: string): string => `uploads/${id}`;
export const tailOf = (id: string): string => `uploads/${id}/tail`;

interface Addressed {
  /** Of an upload, or of files that come together. */
  id: string;
  isBundle: boolean;
  organization: OrganizationId;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The path and query of the address that takes the bytes of an upload. */
export const uploadAddress = (key: CryptoKey, { id, isBundle, organization, expiresAt }: Addressed): Promise<string> =>
  signUrl(key, `/uploads/${organization}/${id}${isBundle ? '/files' : ''}`, {
    expires: String(Math.floor(expiresAt / 1000)),
  });

const kind = { objectName: 'file upload', renew: 'ask the API' };

/** Checks that the address is ours and not over its time. @throws ApiError not_found or forbidden */
export const checkUploadAddress = async (request: Request, key: CryptoKey): Promise<void> => {
  await readSignedUrl(request, key, kind);
};

/** The bytes of a part, as R2 has it: at least 5 MiB, and all but the last one equal. A file of no more is none of parts. */
export const partBytes = 5 * 1024 * 1024;

/**
 * The parts of one place in the file have so many numbers, of 10,000 in all: a request that was taken over and does not
 * know it yet puts its part beside that of the one that goes on, not over it.
 */
const numbersOfPlace = 400;

/** The bucket has no such parts any more: they were given up, or are one file already. */
export class PartsAreGone extends Error {
  override name = 'PartsAreGone';
}

/** Stores the next part of an upload and notes it in the record. @throws PartsAreGone, ApiError unavailable */
export async function storePart(files: R2Bucket, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const object = objectOf(upload.id);
  const partNumber = upload.parts.length * numbersOfPlace + (upload.turn % numbersOfPlace) + 1;
  try {
    upload.multipart ??= (await files.createMultipartUpload(object)).uploadId;
    const { etag } = await files.resumeMultipartUpload(object, upload.multipart).uploadPart(partNumber, bytes);
    upload.parts.push({ partNumber, etag });
  } catch (error) {
    throw faultOf(error, upload);
  }
}

/** Makes one file of the parts. @throws PartsAreGone, ApiError unavailable */
export async function completeParts(files: R2Bucket, { id, ...upload }: UploadRecord): Promise<void> {
  try {
    await files.resumeMultipartUpload(objectOf(id), upload.multipart ?? '').complete(upload.parts);
  } catch (error) {
    throw faultOf(error, { id });
  }
}

/** Gives parts up; where the bucket has forgotten them, that is no fault: it ends all of them after a week. */
export const dropParts = (files: R2Bucket, id: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(objectOf(id), multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'could not abort a multipart upload', { upload: id, cause: String(error) }));

/** What R2 says of parts, or of an upload of them, that it does not have, or that do not fit together. */
const areGone = /\((?:10024|10025|10048)\)|does not exist|could not be found/;

function faultOf(error: unknown, { id }: Pick<UploadRecord, 'id'>): Error {
  if (areGone.test(String(error))) return new PartsAreGone(String(error));
  log('error', 'could not store a part', { upload: id, cause: describeError(error) });
  return new ApiError('unavailable', 'The bytes could not be stored. Continue from the last received byte.');
}

/** What all requests together may hold of the 128 MB of an isolate. */
const maxHeldBytes = 64 * 1024 * 1024;
/** What a request holds beside its part: what is read at once, and the beginning of the file. */
const besidePartBytes = 512 * 1024;
const retryAfterSeconds = 1;
/** A request that the runtime ended does not give its room back. */
const longestMilliseconds = 3_600_000;

interface Held {
  bytes: number;
  since: number;
}

const all = new Set<Held>();

/**
 * Takes room in memory for the bytes of a request, twice, as the bucket and the hashing take copies: 10.5 MiB where they
 * are a part or more, or where it is not known how many they are. Gives what gives the room back.
 * @throws ApiError unavailable, to be tried again shortly, where there is none
 */
export function takeRoom(length: number | undefined): () => void {
  const now = Date.now();
  const bytes = 2 * Math.min(length ?? partBytes, partBytes) + besidePartBytes;
  let sum = bytes;
  for (const held of all) {
    if (now - held.since > longestMilliseconds) all.delete(held);
    else sum += held.bytes;
  }
  if (sum > maxHeldBytes) throw noRoom();
  const held = { bytes, since: now };
  all.add(held);
  return () => all.delete(held);
}

function noRoom(): ApiError {
  const error = new ApiError('unavailable', 'Too many uploads are in progress. Try again in a few seconds.');
  error.retryAfter = retryAfterSeconds;
  return error;
}

/** The number of bytes that a file's type and dimensions are read from. */
const headBytes = 256 * 1024;

/** What is derived from the bytes of a file. */
export interface Digested {
  /** SHA-256 in lower-case hex. */
  hash: string;
  /** The id that git gives a blob with these bytes. */
  oid: string;
  head: Uint8Array;
}

/** Hashes a stream of bytes and keeps the first of them. */
export class Digests {
  readonly #streams: { digest: Promise<ArrayBuffer>; writer: WritableStreamDefaultWriter }[];
  readonly #head: Uint8Array;
  #kept = 0;

  /** @param size The number of all bytes, with which the input of git's hash begins. */
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
    const kept = bytes.subarray(0, this.#head.length - this.#kept);
    this.#head.set(kept, this.#kept);
    this.#kept += kept.length;
    await Promise.all(this.#streams.map(({ writer }) => writer.write(bytes)));
  }

  async end(): Promise<Digested> {
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

/** The digests of a stored object. */
export async function digestsOf({ body, size }: R2ObjectBody): Promise<Digested> {
  const digests = new Digests(size);
  for await (const bytes of body as ReadableStream<Uint8Array>) await digests.add(bytes);
  return digests.end();
}
