import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import { parseTree } from '@octavo/document';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { lineageCte, seen } from '../nodes/lineage-sql.ts';

/** A document that the live content uses; the same text in another space of the organization says nothing here. */
export const getDocumentById: Handler<typeof content.getDocumentById, ContentEnvironment> = async (
  { params },
  { db, space },
) => {
  const rows = await db.all<Row>(sql`
    WITH ${lineageCte(JSON.stringify(space.head.lineage))}
    SELECT d.markdown FROM documents d WHERE d.hash = ${params.documentId} AND EXISTS (
      SELECT 1 FROM lineage l CROSS JOIN versions v ON v.document = d.hash AND v.branch = l.branch
      WHERE v.since <= l.seq AND v.until > l.seq AND v.deleted = 0 AND ${seen})`);
  const row = rows[0];
  if (row === undefined) throw notFound('document');
  return parseTree(text(row, 'markdown'));
};
