import type { Database, Statement } from '@octavo/db';
import { documents } from '@octavo/db';

/** A document to be stored: its text, its SHA-256 (its id) and its git blob id. */
export interface StoredText {
  hash: string;
  oid: string;
  markdown: string;
  bytes: number;
}

const hex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Hashes a text under both of its names: SHA-256, and the id that git gives a blob with these bytes. */
export async function storeText(markdown: string): Promise<StoredText> {
  const bytes = new TextEncoder().encode(markdown);
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`);
  const blob = new Uint8Array(header.length + bytes.length);
  blob.set(header);
  blob.set(bytes, header.length);
  const [hash, oid] = await Promise.all([crypto.subtle.digest('SHA-256', bytes), crypto.subtle.digest('SHA-1', blob)]);
  return { hash: hex(hash), oid: hex(oid), markdown, bytes: bytes.length };
}

/** A text is stored once, however many versions and spaces hold it. */
export const writeDocuments = (db: Database, texts: Iterable<StoredText>): Statement[] =>
  [...new Map([...texts].map((text) => [text.hash, text])).values()].map(({ hash, markdown, bytes }) =>
    db.insert(documents).values({ hash, markdown, bytes }).onConflictDoNothing(),
  );
