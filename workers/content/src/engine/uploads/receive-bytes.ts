import type { Database } from '@octavo/db';
import { conflict, invalid } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { type Digested, Digests, digestsOf } from './digests.ts';
import { finishLarge, finishSmall } from './finish-upload.ts';
import { completeParts, dropParts, PartsAreGone, partBytes, storePart } from './parts.ts';
import { objectOf, tailOf } from './upload-address.ts';
import { noteStored, takenOver, type UploadRecord } from './upload-record.ts';

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
export async function readPieces(
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
    if (this.#filled > 0) await this.#storePart();
    const upload = this.#upload;
    // Who was taken over makes no file of its parts.
    await noteStored(this.#context.db, { ...upload, parts: upload.parts.slice(0, -1) });
    await completeParts(this.#context.env.FILES, upload);
    await finishLarge(this.#context, upload, (await this.#digests?.end()) ?? (await this.#readAgain()));
  }

  async #readAgain(): Promise<Digested> {
    const whole = await this.#context.env.FILES.get(objectOf(this.#upload.id));
    if (whole === null) throw new Error('An object that was just completed is not there.');
    return digestsOf(whole);
  }
}
