import type { ChangeRequestRecord, Database, RevisionPoint } from '@octavo/db';
import { changeRequestJoins, changeRequestRow, documents, foreverSeq, readRow, readRows, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { findNodes, stateAt } from '../../engine/store/lineage.ts';
import type { NodeChange } from './presenter.ts';

/**
 * A branch that the parent does not read through has nothing before; only the revision's own adds to what it reads. A
 * revision without a parent wrote nothing: what flattening has put under it was there before.
 */
export function compareWithParent({ id, seq, lineage }: RevisionPoint) {
  const after = JSON.stringify(lineage);
  const before = sql`(SELECT p.lineage FROM revisions r CROSS JOIN revisions p ON p.id = r.parents->>0 WHERE r.id = ${id})`;
  const keys = sql`SELECT DISTINCT v.kind AS kind, v.id AS id FROM (
      SELECT l.value->>0 AS branch, l.value->>1 AS upTo, COALESCE(
        (SELECT o.value->>1 FROM json_each(${before}) o WHERE o.value->>0 = l.value->>0),
        CASE WHEN l.key = 0 AND ${before} IS NOT NULL THEN ${seq} - 1 ELSE l.value->>1 END) AS beyond
      FROM json_each(${after}) l) b
    CROSS JOIN versions v INDEXED BY versions_written ON v.branch = b.branch AND v.since > b.beyond AND v.since <= b.upTo
    WHERE v.kind IN ${comparedKinds}`;
  return { before, after, keys };
}

/** The change request that the revision merged, if it did. */
export const findMergedChangeRequest = (db: Database, { id }: RevisionPoint) =>
  readRow(
    db,
    changeRequestRow.query(sql`SELECT ${changeRequestRow} FROM revisions r
    JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${id}`),
  );

/** Documents beyond this in one answer are listed without what became of their lines. */
const maxComparedBytes = 8 * 1024 * 1024;

/** The kinds of nodes that changes are told of. */
const comparedKinds = sql.raw("('page', 'file', 'reusable-content', 'variable')");

/** Two states, as lineages in JSON, and a SELECT of (kind, id): the nodes that may differ. */
export interface ComparedContent {
  before: SQL | string;
  after: SQL | string;
  keys: SQL;
}

const d = aliasedTable(documents, 'd');

const textRow = selection({ hash: d.hash, markdown: d.markdown });

/** The texts of the documents that changed, by id, as many as may be compared. */
export async function readTexts(db: Database, changes: NodeChange[]): Promise<Map<string, string>> {
  const hashes = changes.flatMap(({ before, after }) =>
    before?.document === after?.document ? [] : [before?.document, after?.document],
  );
  const texts = await readRows(
    db,
    textRow.query(sql`
    SELECT ${textRow} FROM documents d WHERE d.hash IN (
      SELECT hash FROM (
        SELECT sized.hash, SUM(sized.bytes) OVER (ORDER BY wanted.key) AS total
        FROM json_each(${JSON.stringify(hashes.filter((hash) => hash != null))}) wanted
        CROSS JOIN documents sized ON sized.hash = wanted.value)
      WHERE total <= ${maxComparedBytes})`),
  );
  return new Map(texts.map((row) => [row.hash, row.markdown]));
}

const selectParents = (lineage: SQL | string, keys: SQL) => sql`
  SELECT v.kind, v.parent FROM (${keys}) w
    CROSS JOIN (SELECT value->>0 AS branch, value->>1 AS seq FROM json_each(${lineage})) l
    CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
  WHERE w.kind = 'page'`;

/** What the branch of a change request changes against its base. */
export function compareWithBase({ id, head: { lineage } }: Pick<ChangeRequestRecord, 'id' | 'head'>): ComparedContent {
  const isOwn = lineage[0]?.[0] === id;
  const keys = sql`SELECT v.kind AS kind, v.id AS id FROM versions v
    WHERE v.branch = ${id} AND v.kind IN ${comparedKinds} AND v.until = ${foreverSeq}`;
  return { before: JSON.stringify(isOwn ? lineage.slice(1) : lineage), after: JSON.stringify(lineage), keys };
}

/** The queries for the nodes that may differ, in both states, and for the parents of pages in either. */
export const readComparedNodes = ({ before, after, keys }: ComparedContent) => ({
  after: findNodes(after, keys),
  before: findNodes(before, keys),
  parents: findNodes(
    after,
    sql`SELECT kind, parent FROM (${selectParents(after, keys)} UNION ${selectParents(before, keys)}) WHERE parent <> ''`,
  ),
});
