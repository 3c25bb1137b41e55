import type { Database, Parameter, RecordOf } from '@octavo/db';
import { fromQuery, prepareQuery, readRows, runBatch, selection, uploads } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, conflict, invalid, notFound } from '@octavo/schema';
import { aliasedTable, and, eq, gt, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { detectContentType, readDimensions } from '../blobs/content-type.ts';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import { storeBlobs } from '../blobs/store-blobs.ts';
import type { FileDigest, UploadRecord } from './upload-record.ts';
import {
  completeParts,
  computeDigest,
  dropParts,
  FileHasher,
  getObjectKey,
  getTailKey,
  PartsMissing,
  partBytes,
  recordProgress,
  storePart,
  uploadConflict,
} from './upload-record.ts';

/** Size of the read buffer in bytes. */
const chunkBytes = 256 * 1024;

interface UploadContext {
  env: Pick<ContentEnvironment, 'FILES'>;
  db: Database;
}

/**
 * Stores the bytes of an upload while they arrive, holding at most one part in memory. Returns the number of received
 * bytes. If the body ends early, a later request can continue.
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
    await readChunks(body, (bytes) => receiver.take(bytes));
    return await receiver.end();
  } catch (error) {
    if (error instanceof PartsMissing) return await receiver.finishWithoutParts();
    throw error;
  } finally {
    await receiver.close();
  }
}

/** Reads the body into one reused buffer. Without it, the runtime would return chunks of 4 KiB. */
async function readChunks(
  body: ReadableStream<Uint8Array> | null,
  addBytes: (bytes: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const reader = body?.getReader({ mode: 'byob' });
  let memory: ArrayBufferLike = new ArrayBuffer(chunkBytes);
  // A body that cannot be read was aborted by its client.
  const readNext = () => reader?.read(new Uint8Array(memory)).catch(() => undefined);
  for (let chunk = await readNext(); chunk !== undefined && !chunk.done; chunk = await readNext()) {
    await addBytes(chunk.value);
    memory = chunk.value.buffer;
  }
}

class Receiver {
  readonly #context: UploadContext;
  readonly #upload: UploadRecord;
  readonly #buffer: Uint8Array<ArrayBuffer>;
  /** Set only if all bytes arrive in this request. Otherwise the stored object is read again at the end. */
  readonly #digests: FileHasher | undefined;
  #filled = 0;
  #received: number;

  constructor(context: UploadContext, upload: UploadRecord) {
    this.#context = context;
    this.#upload = upload;
    this.#received = upload.received;
    this.#buffer = new Uint8Array(Math.min(partBytes, upload.size));
    this.#digests = this.#isLarge && upload.received === 0 ? new FileHasher(upload.size) : undefined;
  }

  get #isLarge(): boolean {
    return this.#upload.size > partBytes;
  }

  /** Loads the incomplete part left over from the previous request. A new start drops the stored parts. */
  async begin(): Promise<void> {
    const { id, received, parts, multipart } = this.#upload;
    if (received === 0 && multipart !== null) {
      this.#upload.multipart = null;
      await dropParts(this.#context.env.FILES, id, multipart);
    }
    const length = received - parts.length * partBytes;
    if (length === 0) return;
    const tail = await this.#context.env.FILES.get(getTailKey(id));
    const bytes = tail === null ? new Uint8Array() : new Uint8Array(await tail.arrayBuffer());
    if (bytes.length !== length) await this.#restartFrom(parts.length * partBytes);
    this.#buffer.set(bytes);
    this.#filled = length;
  }

  async take(bytes: Uint8Array): Promise<void> {
    const { size } = this.#upload;
    if (this.#received + bytes.length > size)
      throw invalid([{ path: 'body', message: `has more than the ${size} announced bytes` }]);
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, this.#buffer.length - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      this.#received += part.length;
      rest = rest.subarray(part.length);
      if (this.#isLarge && this.#filled === partBytes) await this.#storePart();
    }
  }

  async end(): Promise<number> {
    const { size } = this.#upload;
    if (this.#received < size) await this.#storeTail();
    else if (this.#isLarge) await this.#finishParts();
    else await finishSmall(this.#context, this.#upload, this.#buffer);
    return this.#received;
  }

  /**
   * The parts no longer exist because another request completed them: a request that ended before it recorded the
   * completion, or a request with the same bytes. If the completed object does not exist either, the upload restarts.
   */
  async finishWithoutParts(): Promise<number> {
    const { size } = this.#upload;
    if (this.#received < size || !(await this.#isStoredObjectComplete())) return this.#restart();
    const [ownDigest, storedDigest] = [await this.#digests?.end(), await this.#readDigest()];
    if (ownDigest !== undefined && ownDigest.hash !== storedDigest.hash) throw uploadConflict();
    await finishLarge(this.#context, this.#upload, storedDigest);
    return size;
  }

  /** Whether the completed object exists and ends with this upload's last part. The parts before it are recorded. */
  async #isStoredObjectComplete(): Promise<boolean> {
    const { FILES } = this.#context.env;
    const { id, size } = this.#upload;
    if ((await FILES.head(getObjectKey(id)))?.size !== size) return false;
    const length = size % partBytes || partBytes;
    const end = await FILES.get(getObjectKey(id), { range: { offset: size - length, length } });
    const storedEnd = new Uint8Array((await end?.arrayBuffer()) ?? []);
    return storedEnd.length === length && storedEnd.every((byte, index) => byte === this.#buffer[index]);
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
    // An upload is reported as complete only when its parts are one object.
    if (this.#received === upload.size) return;
    upload.received = this.#received;
    await recordProgress(db, upload);
  }

  #restart(): Promise<never> {
    this.#upload.multipart = null;
    this.#upload.parts = [];
    return this.#restartFrom(0);
  }

  async #restartFrom(received: number): Promise<never> {
    await recordProgress(this.#context.db, { ...this.#upload, received });
    throw conflict(`The upload has ${received} bytes so far. Continue from there.`);
  }

  async #storeTail(): Promise<void> {
    const { env, db } = this.#context;
    const upload = this.#upload;
    if (this.#filled === 0) return;
    await env.FILES.put(getTailKey(upload.id), this.#buffer.subarray(0, this.#filled));
    await recordProgress(db, { ...upload, received: this.#received });
  }

  async #finishParts(): Promise<void> {
    if (this.#filled > 0) await this.#storePart();
    const upload = this.#upload;
    // If another request has taken over, this fails before the parts are completed.
    await recordProgress(this.#context.db, { ...upload, parts: upload.parts.slice(0, -1) });
    await completeParts(this.#context.env.FILES, upload);
    await finishLarge(this.#context, upload, (await this.#digests?.end()) ?? (await this.#readDigest()));
  }

  async #readDigest(): Promise<FileDigest> {
    const object = await this.#context.env.FILES.get(getObjectKey(this.#upload.id));
    if (object === null) throw new Error('The completed object is missing from the bucket.');
    return computeDigest(object);
  }
}

interface StorageContext {
  env: Pick<ContentEnvironment, 'FILES'>;
  db: Database;
}

/** Stores a file of at most one part like a file in a batch. */
async function finishSmall({ env, db }: StorageContext, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const { organization, name, contentType } = upload;
  const [blob] = await storeBlobs(env, db, organization, [{ bytes, name, contentType }]);
  if (blob === undefined) throw new Error('Storing the upload created no blob.');
  const { noted, standing } = await runBatch(db, {
    noted: recordBlob(upload, blob),
    standing: findUploadState(upload),
  });
  if (noted.length === 0) return checkDone(upload, blob, standing[0]);
  if (upload.received > 0) await env.FILES.delete(getTailKey(upload.id));
}

const uploadStateRow = selection({ writer: uploads.writer, blob: uploads.blob });

const findUploadStateById = prepareQuery(uploadStateRow, (select, id: Parameter<string>, now: Parameter<number>) =>
  select.from(uploads).where(and(eq(uploads.id, id), gt(uploads.expiresAt, now))),
);
const findUploadState = ({ id }: UploadRecord) => findUploadStateById(id, Date.now());

/** If two requests sent the same bytes, both succeed; otherwise only the later request succeeds. @throws ApiError */
function checkDone(
  { writer }: UploadRecord,
  { key }: StoredBlob,
  state: RecordOf<typeof uploadStateRow> | undefined,
): void {
  if (state?.blob === key) return;
  if (state?.writer !== writer) throw uploadConflict();
  throw new ApiError('unavailable', 'A file with this content is being deleted. Try again in a few seconds.');
}

const claimedRow = selection({ object: fromQuery(String) });
const notedRow = selection({ noted: fromQuery(String) });

/**
 * Records where the bytes of a multipart upload are. If the organization already has a blob with these bytes, the
 * upload's object is deleted.
 * @throws ApiError conflict, if another request continues the upload; unavailable, while equal bytes are being deleted
 */
async function finishLarge({ env, db }: StorageContext, upload: UploadRecord, digested: FileDigest): Promise<void> {
  const { id, organization, name, size } = upload;
  const { hash, oid, head } = digested;
  const contentType = detectContentType({ bytes: head, name, contentType: upload.contentType });
  const blob = { key: `${organization}/${hash}`, bytes: size, contentType, oid, ...readDimensions(head, contentType) };
  const { claimed, noted, standing } = await runBatch(db, {
    claimed: claimBlob(upload, blob),
    noted: recordBlob(upload, blob),
    standing: findUploadState(upload),
  });
  if (noted.length === 0) return checkDone(upload, blob, standing[0]);
  const isObjectKept = claimed.some(({ object }) => object === getObjectKey(id));
  await env.FILES.delete([getTailKey(id), ...(isObjectKept ? [] : [getObjectKey(id)])]);
}

const isWrittenBy = ({ id, writer }: UploadRecord) =>
  sql`id = ${id} AND writer = ${writer} AND expires_at > ${Date.now()}`;

/** Claims a blob like `storeBlobs`. An existing blob that is not settled yet gets the upload's object. */
const claimBlob = (upload: UploadRecord, { key, bytes, contentType, width, height }: StoredBlob) =>
  claimedRow.query(sql`
    INSERT INTO blobs (key, organization, bytes, content_type, width, height, claimed_at, settled, object)
    SELECT ${key}, organization, ${bytes}, ${contentType}, ${width ?? null}, ${height ?? null}, ${Date.now()}, 0,
      ${getObjectKey(upload.id)} FROM uploads WHERE ${isWrittenBy(upload)}
    ON CONFLICT (key) DO UPDATE SET claimed_at = excluded.claimed_at,
      object = CASE WHEN settled OR object IS NOT NULL THEN object ELSE excluded.object END WHERE doomed_at IS NULL
    RETURNING COALESCE(object, '') AS ${claimedRow.names.object}`);

/** Records the blob of an upload, unless the blob is being deleted. */
const recordBlob = (upload: UploadRecord, { key, contentType, oid, width, height }: StoredBlob) =>
  notedRow.query(sql`
    UPDATE uploads SET blob = ${key}, received = size, content_type = ${contentType}, oid = ${oid},
      width = ${width ?? null}, height = ${height ?? null},
      settled = COALESCE((SELECT b.settled FROM blobs b WHERE b.key = ${key}), 0)
    WHERE ${isWrittenBy(upload)} AND EXISTS (SELECT 1 FROM blobs b WHERE b.key = ${key} AND b.doomed_at IS NULL)
    RETURNING id AS ${notedRow.names.noted}`);

const u = aliasedTable(uploads, 'u');
const bundleFileRow = selection({ id: u.id, name: u.name, contentType: u.contentType, size: u.size });
const findBundleFiles = prepareQuery(
  bundleFileRow,
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
 * Stores several files that arrive consecutively in one body, all or none. Sending the same bytes again succeeds.
 * @param length The content length of the request, if known.
 * @throws ApiError not_found, invalid, conflict, unavailable
 */
export async function receiveBundle(
  { env, db }: UploadContext,
  { id, organization }: Bundle,
  { body, length }: { body: ReadableStream<Uint8Array> | null; length: number | undefined },
): Promise<void> {
  const members = await readRows(db, findBundleFiles(id, organization, Date.now()));
  if (members.length === 0) throw notFound('upload');
  const total = members.reduce((sum, { size }) => sum + size, 0);
  if (length !== undefined && length !== total) throw createLengthError(length, total);
  const bytes = await readWholeBody(body, total);
  let offset = 0;
  const files = members.map(({ name, contentType, size }) => {
    offset += size;
    return { name, contentType, bytes: bytes.subarray(offset - size, offset) };
  });
  const blobs = await storeBlobs(env, db, organization, files);
  const results = await runBatch(
    db,
    recordBundleFiles(members.flatMap((member, index) => ({ ...(blobs[index] as StoredBlob), id: member.id }))),
  );
  if (results.length < members.length) throw uploadConflict();
}

const createLengthError = (length: number, total: number) =>
  invalid([{ path: 'body', message: `has ${length} bytes, but ${total} were announced` }]);

async function readWholeBody(body: ReadableStream<Uint8Array> | null, total: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(total);
  let length = 0;
  await readChunks(body, (chunk) => {
    if (length + chunk.length > total) throw createLengthError(length + chunk.length, total);
    bytes.set(chunk, length);
    length += chunk.length;
  });
  if (length < total) throw createLengthError(length, total);
  return bytes;
}

const notedMemberRow = selection({ noted: fromQuery(String) });

const recordBundleFiles = (files: ({ id: string } & StoredBlob)[]) =>
  notedMemberRow.query(sql`
    UPDATE uploads SET blob = w.value->>'key', received = size, content_type = w.value->>'contentType',
      oid = w.value->>'oid', width = w.value->>'width', height = w.value->>'height',
      settled = COALESCE((SELECT b.settled FROM blobs b WHERE b.key = w.value->>'key'), 0)
    FROM json_each(${JSON.stringify(files)}) w
    WHERE uploads.id = w.value->>'id' AND expires_at > ${Date.now()} AND (blob IS NULL OR blob = w.value->>'key')
    RETURNING uploads.id AS ${notedMemberRow.names.noted}`);
