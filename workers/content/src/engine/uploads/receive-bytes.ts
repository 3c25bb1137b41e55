import type { Database } from '@octavo/db';
import { describe, log } from '@octavo/runtime';
import { ApiError, conflict, invalid } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { Digests, digestsOf } from './digests.ts';
import { finishLarge, finishSmall } from './finish-upload.ts';
import { objectOf, tailOf } from './upload-address.ts';
import { noteStored, type UploadRecord } from './upload-record.ts';

/** The bytes of a part, as R2 has it: at least 5 MiB, and all but the last one equal. A file of no more is none of parts. */
export const partBytes = 5 * 1024 * 1024;

/** How much is read at once. */
const readBytes = 256 * 1024;

export interface UploadContext {
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
    await takeAll(receiver, body);
    return await receiver.end();
  } finally {
    await receiver.close();
  }
}

/** Into memory of its own, used again and again: without it the runtime gives 4 KiB at a time. */
async function takeAll(receiver: Receiver, body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader({ mode: 'byob' });
  let memory: ArrayBufferLike = new ArrayBuffer(readBytes);
  // A body that cannot be read is one that its client broke off.
  const next = () => reader?.read(new Uint8Array(memory)).catch(() => undefined);
  for (let read = await next(); read !== undefined && !read.done; read = await next()) {
    await receiver.take(read.value);
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

  /** Takes up what came last of the bytes before, if that was no whole part. */
  async begin(): Promise<void> {
    const { id, received, parts } = this.#upload;
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
      throw invalid([{ path: 'body', message: `brings more than the ${size} bytes that were announced` }]);
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

  async close(): Promise<void> {
    await this.#digests?.drop();
  }

  async #storePart(): Promise<void> {
    const { env, db } = this.#context;
    const upload = this.#upload;
    const bytes = this.#buffer.subarray(0, this.#filled);
    await this.#digests?.add(bytes);
    try {
      const { uploadId } =
        upload.multipart === null
          ? await env.FILES.createMultipartUpload(objectOf(upload.id))
          : { uploadId: upload.multipart };
      upload.multipart = uploadId;
      const parts = env.FILES.resumeMultipartUpload(objectOf(upload.id), uploadId);
      upload.parts.push((await parts.uploadPart(upload.parts.length + 1, bytes)).etag);
    } catch (error) {
      await this.#refusePart(error);
    }
    this.#filled = 0;
    upload.received = this.#received;
    // What has all its bytes is told to have them once they are one file.
    if (this.#received < upload.size) await noteStored(db, upload);
  }

  /** Parts that are gone, as after a crash at the very end, come again; any other fault may pass. */
  async #refusePart(error: unknown): Promise<never> {
    if (/10024|does not exist/.test(String(error))) return this.#beginAnew();
    log('error', 'a part was not stored', { upload: this.#upload.id, cause: describe(error) });
    throw new ApiError('unavailable', 'The bytes could not be stored: go on from where the upload stands.');
  }

  #beginAnew(): Promise<never> {
    this.#upload.multipart = null;
    this.#upload.parts = [];
    return this.#goBackTo(0);
  }

  async #goBackTo(received: number): Promise<never> {
    await noteStored(this.#context.db, { ...this.#upload, received });
    throw conflict(`The upload has ${received} bytes so far: go on from there.`);
  }

  async #keepTail(): Promise<void> {
    const { env, db } = this.#context;
    const upload = this.#upload;
    if (this.#filled === 0) return;
    await env.FILES.put(tailOf(upload.id), this.#buffer.subarray(0, this.#filled));
    await noteStored(db, { ...upload, received: this.#received });
  }

  async #finishParts(): Promise<void> {
    const { env } = this.#context;
    const upload = this.#upload;
    if (this.#filled > 0) await this.#storePart();
    const parts = upload.parts.map((etag, index) => ({ partNumber: index + 1, etag }));
    try {
      await env.FILES.resumeMultipartUpload(objectOf(upload.id), upload.multipart ?? '').complete(parts);
    } catch (error) {
      log('warn', 'parts of an upload did not fit together', { upload: upload.id, cause: describe(error) });
      await this.#beginAnew();
    }
    await finishLarge(this.#context, upload, await this.#digested());
  }

  async #digested() {
    if (this.#digests !== undefined) return this.#digests.end();
    const whole = await this.#context.env.FILES.get(objectOf(this.#upload.id));
    if (whole === null) throw new Error('An object that was just completed is not there.');
    return digestsOf(whole);
  }
}
