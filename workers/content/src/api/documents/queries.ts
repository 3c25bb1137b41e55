import type { RevisionPoint } from '@octavo/db';
import { documents, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { createLineageCte, isNearest, nodeRow, selectState } from '../../engine/store/lineage.ts';

const d = aliasedTable(documents, 'd');

const userRow = selection({ ...nodeRow.fields, markdown: d.markdown });

/** Maximum number of nodes checked for one text, including nodes that no longer have it. */
const maxUsers = 10_000;

/** Returns the query for a live node that has a document; no row if none of the checked nodes has it. */
export function findDocumentNode(point: RevisionPoint, document: string) {
  const hash = sql`${document}`;
  return userRow.query(sql`
    WITH RECURSIVE ${createLineageCte(JSON.stringify(point.lineage))}, kinds(kind) AS MATERIALIZED (VALUES ('page'), ('reusable-content')),
    users(depth, kind, id) AS (
      SELECT l.depth, k.kind, ${selectNextUser(hash, sql`k.kind`, sql`''`)} FROM lineage l CROSS JOIN kinds k
      UNION ALL
      SELECT u.depth, u.kind, ${selectNextUser(hash, sql`u.kind`, sql`u.id`)}
      FROM users u CROSS JOIN lineage l ON l.depth = u.depth WHERE u.id IS NOT NULL LIMIT ${maxUsers}
    )
    SELECT ${userRow} FROM documents d CROSS JOIN users u CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`u.kind`, sql`u.id`)}
    WHERE d.hash = ${hash} AND v.document = d.hash AND v.deleted = 0 AND ${isNearest} LIMIT 1`);
}

/**
 * Selects the next node, by id, that ever had a text on the branch of `l`. One seek, however many versions of the node
 * had the text.
 */
const selectNextUser = (
  hash: SQL,
  kind: SQL,
  after: SQL,
): SQL => sql`(SELECT MIN(x.id) FROM versions x INDEXED BY versions_documents
  WHERE x.document = ${hash} AND x.branch = l.branch AND x.kind = ${kind} AND x.id > ${after})`;
