import type { Row } from '@octavo/db';
import { connect, documents, number, runBatch, text } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { storedLinks, writeDocumentLinks } from '../engine/nodes/documents.ts';
import type { ContentEnvironment } from '../environment.ts';

const maxDocuments = 100;
const maxBytes = 4 * 1024 * 1024;

/** Reads the links of some documents that were stored before links were kept. Ends with nothing to do, at no cost. */
export async function keepLinksOfOldDocuments(env: Pick<ContentEnvironment, 'DB'>): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const unread = await db.all<Row>(sql`
    SELECT hash, bytes FROM documents INDEXED BY documents_unread WHERE links_known = 0 ORDER BY hash LIMIT ${maxDocuments}`);
  let bytes = 0;
  const some = unread.filter((row, index) => {
    bytes += number(row, 'bytes');
    return index === 0 || bytes <= maxBytes;
  });
  if (some.length === 0) return;
  const wanted = sql`SELECT value FROM json_each(${JSON.stringify(some.map((row) => text(row, 'hash')))})`;
  const texts = await db.all<Row>(sql`SELECT hash, markdown FROM documents WHERE hash IN (${wanted})`);
  const read = texts.map((row) => ({ hash: text(row, 'hash'), links: storedLinks(text(row, 'markdown')) }));
  await runBatch(db, [
    ...writeDocumentLinks(db, read),
    db.update(documents).set({ linksKnown: true }).where(sql`${documents.hash} IN (${wanted})`),
  ]);
}
