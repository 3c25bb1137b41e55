const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes in lower-case hex. */
export function hexOf(bytes: ArrayBuffer): string {
  let hex = '';
  for (const byte of new Uint8Array(bytes)) hex += digits[byte];
  return hex;
}

/** The SHA-256 of a text, in lower-case hex. */
export const hashOf = async (text: string): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/**
 * Hashes of texts that come again and again. It holds so many texts of so many characters at most, and forgets the oldest.
 * It says nothing of them but their hashes: whether a token is right, the database tells each time.
 */
export class Hashes {
  readonly #known = new Map<string, string>();
  readonly #maxTexts: number;
  readonly #maxLength: number;

  constructor(maxTexts: number, maxLength: number) {
    this.#maxTexts = maxTexts;
    this.#maxLength = maxLength;
  }

  get size(): number {
    return this.#known.size;
  }

  async of(text: string): Promise<string> {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const hash = await hashOf(text);
    if (text.length <= this.#maxLength) this.#keep(text, hash);
    return hash;
  }

  #keep(text: string, hash: string): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= this.#maxTexts) this.#known.delete(oldest);
    this.#known.set(text, hash);
  }
}

const maxTokens = 1000;
const maxTokenLength = 256;
const tokens = new Hashes(maxTokens, maxTokenLength);

const bearer = /^Bearer ([\w-]{1,256})$/i;

/** The hash of the token that an Authorization header brings; undefined where it brings none. */
export async function hashOfToken(authorization: string | null): Promise<string | undefined> {
  const token = bearer.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : tokens.of(token);
}
