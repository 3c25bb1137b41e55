import type { ChangeRequestRecord, Database, RevisionPoint } from '@octavo/db';
import { changeRequestJoins, changeRequestRow, documents, foreverSeq, readRow, readRows, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { queryNodes, selectState } from '../../engine/store/lineage.ts';
import type { NodeChange } from './presenter.ts';

/**
 * Compares a revision with its parent. A branch that is missing in the parent's lineage has no earlier state; it is
 * compared only if it is the revision's own branch. A revision without a parent has no changes, because content that
 * was copied below it when the space was flattened existed before.
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

/** Finds the change request that the revision merged, if any. */
export const findMergedChangeRequest = (db: Database, { id }: RevisionPoint) =>
  readRow(
    db,
    changeRequestRow.query(sql`SELECT ${changeRequestRow} FROM revisions r
    JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${id}`),
  );

/**
 * Maximum total size of compared documents in one response, in bytes; documents beyond it are listed without a diff.
 */
const maxComparedBytes = 8 * 1024 * 1024;

/** The kinds of nodes that are compared. */
const comparedKinds = sql.raw("('page', 'file', 'reusable-content', 'variable')");

/** Two states, as lineages in JSON, and a SELECT of (kind, id) for the nodes that may differ between them. */
export interface ComparedContent {
  before: SQL | string;
  after: SQL | string;
  keys: SQL;
}

const d = aliasedTable(documents, 'd');

const textRow = selection({ hash: d.hash, markdown: d.markdown });

/** Reads the texts of changed documents, by id, up to the size limit. */
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
    CROSS JOIN versions v ON ${selectState(sql`w.kind`, sql`w.id`)}
  WHERE w.kind = 'page'`;

/** Compares the branch of a change request with its base. */
export function compareWithBase({ id, head: { lineage } }: Pick<ChangeRequestRecord, 'id' | 'head'>): ComparedContent {
  const isOwnBranch = lineage[0]?.[0] === id;
  const keys = sql`SELECT v.kind AS kind, v.id AS id FROM versions v
    WHERE v.branch = ${id} AND v.kind IN ${comparedKinds} AND v.until = ${foreverSeq}`;
  return { before: JSON.stringify(isOwnBranch ? lineage.slice(1) : lineage), after: JSON.stringify(lineage), keys };
}

/** Returns the queries for the nodes that may differ, in both states, and for the parents of pages in both states. */
export const readComparedNodes = ({ before, after, keys }: ComparedContent) => ({
  after: queryNodes(after, keys),
  before: queryNodes(before, keys),
  parents: queryNodes(
    after,
    sql`SELECT kind, parent FROM (${selectParents(after, keys)} UNION ${selectParents(before, keys)}) WHERE parent <> ''`,
  ),
});
