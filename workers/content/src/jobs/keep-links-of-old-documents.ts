import { connect, documents, given, jsonChunks, readRows, runBatch, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { findTexts, keptOf, writeKept } from '../engine/store/documents.ts';
import type { ContentEnvironment } from '../environment.ts';

const maxDocuments = 100;
const maxBytes = 4 * 1024 * 1024;

const unreadRow = selection({ hash: given(documents.hash), bytes: given(documents.bytes) });

/** Reads some documents that were stored before links or anchors were kept. Ends with nothing to do, at no cost. */
export async function keepLinksOfOldDocuments(env: Pick<ContentEnvironment, 'DB'>): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const unread = await readRows(
    db,
    unreadRow.query(sql`
    SELECT * FROM (
      SELECT hash, bytes FROM documents INDEXED BY documents_unread WHERE links_known = 0 ORDER BY hash LIMIT ${maxDocuments})
    UNION SELECT * FROM (
      SELECT hash, bytes FROM documents INDEXED BY documents_without_anchors WHERE anchors IS NULL
      ORDER BY hash LIMIT ${maxDocuments}) LIMIT ${maxDocuments}`),
  );
  let bytes = 0;
  const some = unread.filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= maxBytes;
  });
  if (some.length === 0) return;
  const hashes = some.map(({ hash }) => hash);
  const wanted = sql`SELECT value FROM json_each(${JSON.stringify(hashes)})`;
  const read = [...(await findTexts(db, hashes))].map(([hash, markdown]) => ({ hash, ...keptOf(markdown) }));
  await runBatch(db, [
    ...writeKept(db, read),
    db.update(documents).set({ linksKnown: true }).where(sql`${documents.hash} IN (${wanted})`),
    ...jsonChunks(read.map(({ hash, anchors }) => ({ hash, anchors }))).map((json) =>
      db.run(sql`UPDATE documents SET anchors = w.value->>'anchors' FROM json_each(${json}) w
        WHERE documents.hash = w.value->>'hash'`),
    ),
  ]);
}
