import type { Database, RecordOf, Statement } from '@octavo/db';
import { computed, maybe, selection, versions } from '@octavo/db';
import { aliasedTable, sql } from 'drizzle-orm';
import { releaseBlobs } from './blobs.ts';

const v = aliasedTable(versions, 'v');

/** What `deleteVersions` needs of a version `v`. */
export const versionRow = selection({
  branch: v.branch,
  kind: v.kind,
  id: v.id,
  since: v.since,
  document: v.document,
  blob: maybe(computed(String, sql`CASE v.kind WHEN 'file' THEN v.data->>'$.fields.blob' END`)),
});

/** A lineage of another space reads the version: from its revision on until that by which it was superseded. */
const held = sql`EXISTS (SELECT 1 FROM lineage_sources l
  WHERE l.source = versions.branch AND l.seq >= versions.since AND l.seq < versions.until)`;

/**
 * Deletes versions, but for those that another space reads, with the documents and the bytes that nothing holds any more.
 * In one batch: a version that comes to hold one of them is written before it or stores it anew.
 */
export function deleteVersions(db: Database, rows: RecordOf<typeof versionRow>[]): Statement[] {
  if (rows.length === 0) return [];
  const keys = JSON.stringify(rows.map(({ branch, kind, id, since }) => [branch, kind, id, since]));
  const distinct = (column: 'document' | 'blob') => [...new Set(rows.flatMap((row) => row[column] ?? []))];
  return [
    db.run(sql`DELETE FROM versions WHERE (branch, kind, id, since) IN (
      SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(${keys})) AND NOT ${held}`),
    db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${JSON.stringify(distinct('document'))}))
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = documents.hash)`),
    ...releaseBlobs(distinct('blob')),
  ];
}
