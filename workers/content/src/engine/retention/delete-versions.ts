import type { Database, Row, Statement } from '@octavo/db';
import { optionalText } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { releaseBlobs } from './blobs.ts';

/** What `deleteVersions` needs of a version `v`. */
export const versionColumns = sql.raw(
  "v.branch, v.kind, v.id, v.since, v.document, CASE v.kind WHEN 'file' THEN v.data->>'$.fields.blob' END AS blob",
);

/** A lineage of another space reads the version: from its revision on until that by which it was superseded. */
const held = sql`EXISTS (SELECT 1 FROM lineage_sources l
  WHERE l.source = versions.branch AND l.seq >= versions.since AND l.seq < versions.until)`;

/**
 * Deletes versions, but for those that another space reads, with the documents and the bytes that nothing holds any more.
 * In one batch: a version that comes to hold one of them is written before it or stores it anew.
 */
export function deleteVersions(db: Database, rows: Row[]): Statement[] {
  if (rows.length === 0) return [];
  const keys = JSON.stringify(rows.map(({ branch, kind, id, since }) => [branch, kind, id, since]));
  const distinct = (column: string) => [...new Set(rows.flatMap((row) => optionalText(row, column) ?? []))];
  return [
    db.run(sql`DELETE FROM versions WHERE (branch, kind, id, since) IN (
      SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${keys})) AND NOT ${held}`),
    db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${JSON.stringify(distinct('document'))}))
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = documents.hash)`),
    ...releaseBlobs(db, distinct('blob')),
  ];
}
