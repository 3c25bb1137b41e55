import type { Database, Parameter, RecordOf } from '@octavo/db';
import { fromQuery, prepareQuery, readRows, runBatch, selection, uploads } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, conflict, invalid, notFound } from '@octavo/schema';
import { aliasedTable, and, eq, gt, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { detectContentType, readDimensions } from '../blobs/content-type.ts';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import { storeBlobs } from '../blobs/store-blobs.ts';
import type { Digested, UploadRecord } from './upload-record.ts';
import {
  completeParts,
  Digests,
  digestsOf,
  dropParts,
  noteStored,
  objectOf,
  PartsAreGone,
  partBytes,
  storePart,
  tailOf,
  takenOver,
} from './upload-record.ts';

/** How much is read at once. */
const readBytes = 256 * 1024;

interface UploadContext {
  env: Pick<ContentEnvironment, 'FILES'>;
  db: Database;
}

/**
 * Stores the bytes of an upload as they come, never more than a part of them in memory. Gives how many there are: all of
 * them, or what came before the body ended or broke off, which a later request goes on from.
 * @throws ApiError invalid, conflict, unavailable
 */
export async function receiveBytes(
  context: UploadContext,
  upload: UploadRecord,
  body: ReadableStream<Uint8Array> | null,
): Promise<number> {
  const receiver = new Receiver(context, upload);
  try {
    await receiver.begin();
    await readPieces(body, (bytes) => receiver.take(bytes));
    return await receiver.end();
  } catch (error) {
    if (error instanceof PartsAreGone) return await receiver.endWithoutParts();
    throw error;
  } finally {
    await receiver.close();
  }
}

/** Into memory of its own, used again and again: without it the runtime gives 4 KiB at a time. */
async function readPieces(
  body: ReadableStream<Uint8Array> | null,
  take: (bytes: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const reader = body?.getReader({ mode: 'byob' });
  let memory: ArrayBufferLike = new ArrayBuffer(readBytes);
  // A body that cannot be read is one that its client broke off.
  const next = () => reader?.read(new Uint8Array(memory)).catch(() => undefined);
  for (let read = await next(); read !== undefined && !read.done; read = await next()) {
    await take(read.value);
    memory = read.value.buffer;
  }
}

class Receiver {
  readonly #context: UploadContext;
  readonly #upload: UploadRecord;
  readonly #buffer: Uint8Array<ArrayBuffer>;
  /** Of bytes that all come in this request; others are read again in the end. */
  readonly #digests: Digests | undefined;
  #filled = 0;
  #received: number;

  constructor(context: UploadContext, upload: UploadRecord) {
    this.#context = context;
    this.#upload = upload;
    this.#received = upload.received;
    this.#buffer = new Uint8Array(Math.min(partBytes, upload.size));
    this.#digests = this.#isLarge && upload.received === 0 ? new Digests(upload.size) : undefined;
  }

  get #isLarge(): boolean {
    return this.#upload.size > partBytes;
  }

  /** Takes up what came last of the bytes before, if that was no whole part; what came before a new beginning goes. */
  async begin(): Promise<void> {
    const { id, received, parts, multipart } = this.#upload;
    if (received === 0 && multipart !== null) {
      this.#upload.multipart = null;
      await dropParts(this.#context.env.FILES, id, multipart);
    }
    const length = received - parts.length * partBytes;
    if (length === 0) return;
    const tail = await this.#context.env.FILES.get(tailOf(id));
    const bytes = tail === null ? new Uint8Array() : new Uint8Array(await tail.arrayBuffer());
    if (bytes.length !== length) await this.#goBackTo(parts.length * partBytes);
    this.#buffer.set(bytes);
    this.#filled = length;
  }

  async take(bytes: Uint8Array): Promise<void> {
    const { size } = this.#upload;
    if (this.#received + bytes.length > size)
      throw invalid([{ path: 'body', message: `has more than the ${size} announced bytes` }]);
    for (let rest = bytes; rest.length > 0; ) {
      const some = rest.subarray(0, this.#buffer.length - this.#filled);
      this.#buffer.set(some, this.#filled);
      this.#filled += some.length;
      this.#received += some.length;
      rest = rest.subarray(some.length);
      if (this.#isLarge && this.#filled === partBytes) await this.#storePart();
    }
  }

  async end(): Promise<number> {
    const { size } = this.#upload;
    if (this.#received < size) await this.#keepTail();
    else if (this.#isLarge) await this.#finishParts();
    else await finishSmall(this.#context, this.#upload, this.#buffer);
    return this.#received;
  }

  /**
   * Parts that are gone were made one file by a request that ended before it could note that, or by one that brought the
   * same bytes. Where there is no such file, they come again.
   */
  async endWithoutParts(): Promise<number> {
    const { size } = this.#upload;
    if (this.#received < size || !(await this.#isEndOfStored())) return this.#beginAnew();
    const [own, stored] = [await this.#digests?.end(), await this.#readAgain()];
    if (own !== undefined && own.hash !== stored.hash) throw takenOver();
    await finishLarge(this.#context, this.#upload, stored);
    return size;
  }

  /** Whether there is a file of the upload that ends with its last part: those before it were noted. */
  async #isEndOfStored(): Promise<boolean> {
    const { FILES } = this.#context.env;
    const { id, size } = this.#upload;
    if ((await FILES.head(objectOf(id)))?.size !== size) return false;
    const length = size % partBytes || partBytes;
    const end = await FILES.get(objectOf(id), { range: { offset: size - length, length } });
    const stored = new Uint8Array((await end?.arrayBuffer()) ?? []);
    return stored.length === length && stored.every((byte, index) => byte === this.#buffer[index]);
  }

  async close(): Promise<void> {
    await this.#digests?.drop();
  }

  async #storePart(): Promise<void> {
    const { env, db } = this.#context;
    const upload = this.#upload;
    const bytes = this.#buffer.subarray(0, this.#filled);
    await this.#digests?.add(bytes);
    await storePart(env.FILES, upload, bytes);
    this.#filled = 0;
    // What has all its bytes is told to have them once they are one file.
    if (this.#received === upload.size) return;
    upload.received = this.#received;
    await noteStored(db, upload);
  }

  #beginAnew(): Promise<never> {
    this.#upload.multipart = null;
    this.#upload.parts = [];
    return this.#goBackTo(0);
  }

  async #goBackTo(received: number): Promise<never> {
    await noteStored(this.#context.db, { ...this.#upload, received });
    throw conflict(`The upload has ${received} bytes so far. Continue from there.`);
  }

  async #keepTail(): Promise<void> {
    const { env, db } = this.#context;
    const upload = this.#upload;
    if (this.#filled === 0) return;
    await env.FILES.put(tailOf(upload.id), this.#buffer.subarray(0, this.#filled));
    await noteStored(db, { ...upload, received: this.#received });
  }

  async #finishParts(): Promise<void> {
    if (this.#filled > 0) await this.#storePart();
    const upload = this.#upload;
    // Who was taken over makes no file of its parts.
    await noteStored(this.#context.db, { ...upload, parts: upload.parts.slice(0, -1) });
    await completeParts(this.#context.env.FILES, upload);
    await finishLarge(this.#context, upload, (await this.#digests?.end()) ?? (await this.#readAgain()));
  }

  async #readAgain(): Promise<Digested> {
    const whole = await this.#context.env.FILES.get(objectOf(this.#upload.id));
    if (whole === null) throw new Error('The completed object is missing in the bucket.');
    return digestsOf(whole);
  }
}

interface Finishing {
  env: Pick<ContentEnvironment, 'FILES'>;
  db: Database;
}

/** A file of no more than a part is stored as one that a batch brings along. */
async function finishSmall({ env, db }: Finishing, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const { organization, name, contentType } = upload;
  const [blob] = await storeBlobs(env, db, organization, [{ bytes, name, contentType }]);
  if (blob === undefined) throw new Error('Storing the upload created no blob.');
  const { noted, standing } = await runBatch(db, { noted: note(upload, blob), standing: standingOf(upload) });
  if (noted.length === 0) return checkDone(upload, blob, standing[0]);
  if (upload.received > 0) await env.FILES.delete(tailOf(upload.id));
}

const standingRow = selection({ writer: uploads.writer, blob: uploads.blob });

const standingById = prepareQuery(standingRow, (select, id: Parameter<string>, now: Parameter<number>) =>
  select.from(uploads).where(and(eq(uploads.id, id), gt(uploads.expiresAt, now))),
);
const standingOf = ({ id }: UploadRecord) => standingById(id, Date.now());

/** Of two requests that bring the same bytes both are done; of others the later one. @throws ApiError */
function checkDone(
  { writer }: UploadRecord,
  { key }: StoredBlob,
  standing: RecordOf<typeof standingRow> | undefined,
): void {
  if (standing?.blob === key) return;
  if (standing?.writer !== writer) throw takenOver();
  throw new ApiError('unavailable', 'A file with this content is being deleted. Try again.');
}

const claimedRow = selection({ object: fromQuery(String) });
const notedRow = selection({ noted: fromQuery(String) });

/**
 * The bytes stay where they came to, and their blob says so; where there is such a blob already, they are given up.
 * @throws ApiError conflict, where another request goes on; unavailable, while equal bytes are being deleted
 */
async function finishLarge({ env, db }: Finishing, upload: UploadRecord, digested: Digested): Promise<void> {
  const { id, organization, name, size } = upload;
  const { hash, oid, head } = digested;
  const contentType = detectContentType({ bytes: head, name, contentType: upload.contentType });
  const blob = { key: `${organization}/${hash}`, bytes: size, contentType, oid, ...readDimensions(head, contentType) };
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

const u = aliasedTable(uploads, 'u');
const memberRow = selection({ id: u.id, name: u.name, contentType: u.contentType, size: u.size });
const membersOf = prepareQuery(
  memberRow,
  (select, bundle: Parameter<string>, organization: Parameter<OrganizationId>, now: Parameter<number>) =>
    select
      .from(u)
      .where(and(eq(u.bundle, bundle), eq(u.organization, organization), gt(u.expiresAt, now)))
      .orderBy(u.ordinal),
);

interface Bundle {
  id: string;
  organization: OrganizationId;
}

/**
 * Stores files whose bytes come in one body, one after the other: all of them or none. Bytes that come again are no fault.
 * @param length What the request says that it brings, if it does.
 * @throws ApiError not_found, invalid, conflict, unavailable
 */
export async function receiveBundle(
  { env, db }: UploadContext,
  { id, organization }: Bundle,
  { body, length }: { body: ReadableStream<Uint8Array> | null; length: number | undefined },
): Promise<void> {
  const members = await readRows(db, membersOf(id, organization, Date.now()));
  if (members.length === 0) throw notFound('upload');
  const total = members.reduce((sum, { size }) => sum + size, 0);
  if (length !== undefined && length !== total) throw otherLength(length, total);
  const bytes = await readWhole(body, total);
  let at = 0;
  const files = members.map(({ name, contentType, size }) => {
    at += size;
    return { name, contentType, bytes: bytes.subarray(at - size, at) };
  });
  const blobs = await storeBlobs(env, db, organization, files);
  const noted = await runBatch(
    db,
    noteMembers(members.flatMap((member, index) => ({ ...(blobs[index] as StoredBlob), id: member.id }))),
  );
  if (noted.length < members.length) throw takenOver();
}

const otherLength = (length: number, total: number) =>
  invalid([{ path: 'body', message: `has ${length} bytes, but ${total} were announced` }]);

async function readWhole(body: ReadableStream<Uint8Array> | null, total: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(total);
  let length = 0;
  await readPieces(body, (some) => {
    if (length + some.length > total) throw otherLength(length + some.length, total);
    bytes.set(some, length);
    length += some.length;
  });
  if (length < total) throw otherLength(length, total);
  return bytes;
}

const notedMemberRow = selection({ noted: fromQuery(String) });

const noteMembers = (files: ({ id: string } & StoredBlob)[]) =>
  notedMemberRow.query(sql`
    UPDATE uploads SET blob = w.value->>'key', received = size, content_type = w.value->>'contentType',
      oid = w.value->>'oid', width = w.value->>'width', height = w.value->>'height',
      settled = COALESCE((SELECT b.settled FROM blobs b WHERE b.key = w.value->>'key'), 0)
    FROM json_each(${JSON.stringify(files)}) w
    WHERE uploads.id = w.value->>'id' AND expires_at > ${Date.now()} AND (blob IS NULL OR blob = w.value->>'key')
    RETURNING uploads.id AS ${notedMemberRow.names.noted}`);
