import type { Database, Statement } from '@octavo/db';
import { documents } from '@octavo/db';

/** A document to be stored: its text, its key and its git blob id. */
export interface StoredText {
  hash: string;
  oid: string;
  markdown: string;
  bytes: number;
}

const hex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Hashes a text under both of its names: the id that git gives a blob with these bytes, and its key, the SHA-256 of
 * organization and text. Equal texts of two organizations are two documents: whether one exists already can be told
 * from what storing it costs, and must not tell anything of another tenant.
 */
export async function storeText(organization: string, markdown: string): Promise<StoredText> {
  const bytes = new TextEncoder().encode(markdown);
  const [hash, oid] = await Promise.all([
    digest('SHA-256', `${organization}\0`, bytes),
    digest('SHA-1', `blob ${bytes.length}\0`, bytes),
  ]);
  return { hash, oid, markdown, bytes: bytes.length };
}

async function digest(algorithm: string, prefix: string, bytes: Uint8Array): Promise<string> {
  const header = new TextEncoder().encode(prefix);
  const whole = new Uint8Array(header.length + bytes.length);
  whole.set(header);
  whole.set(bytes, header.length);
  return hex(await crypto.subtle.digest(algorithm, whole));
}

/** A text is stored once in an organization, however many versions and spaces hold it. */
export const writeDocuments = (db: Database, texts: Iterable<StoredText>): Statement[] =>
  [...new Map([...texts].map((text) => [text.hash, text])).values()].map(({ hash, markdown, bytes }) =>
    db.insert(documents).values({ hash, markdown, bytes }).onConflictDoNothing(),
  );
