import { hexOf } from '@octavo/runtime';

/** How much of a file its type and its dimensions follow from. */
const headBytes = 256 * 1024;

/** What follows from the bytes of a file. */
export interface Digested {
  /** SHA-256 in lower-case hex. */
  hash: string;
  /** The id that git gives a blob with these bytes. */
  oid: string;
  head: Uint8Array;
}

/** Hashes bytes as they come, from the first to the last, and keeps the first of them. */
export class Digests {
  readonly #streams: { digest: Promise<ArrayBuffer>; writer: WritableStreamDefaultWriter }[];
  readonly #head: Uint8Array;
  #kept = 0;

  /** @param size Of all bytes: git's id begins with it. */
  constructor(size: number) {
    this.#streams = ['SHA-256', 'SHA-1'].map((algorithm) => {
      const stream = new crypto.DigestStream(algorithm);
      // Of bytes that break off nobody asks for the hash.
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
        return hexOf(await digest);
      }),
    );
    return { hash, oid, head: this.#head };
  }

  /** For bytes that broke off. */
  async drop(): Promise<void> {
    await Promise.all(this.#streams.map(({ writer }) => writer.abort().catch(() => undefined)));
  }
}

/** Of bytes that are stored already. */
export async function digestsOf({ body, size }: R2ObjectBody): Promise<Digested> {
  const digests = new Digests(size);
  for await (const bytes of body as ReadableStream<Uint8Array>) await digests.add(bytes);
  return digests.end();
}
