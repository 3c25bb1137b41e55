import { documents, readRow, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { LinkingText, readLateLinks } from '../../engine/links/late-links.ts';
import { lineageCte, nodeRow, seen, stateAt } from '../../engine/nodes/find-nodes.ts';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { publishedText } from '../../engine/reading/page-text.ts';
import { scopeOfSpace } from '../../engine/reading/shown-pages.ts';
import type { ContentEnvironment } from '../../environment.ts';

const d = aliasedTable(documents, 'd');
const userRow = selection({ ...nodeRow.fields, markdown: d.markdown });

/** So many nodes that ever had a text are looked at; a text that only others have is not found. */
const maxUsers = 10_000;

/**
 * A document that the live content uses, as it is at one that does; the same text in another space of the organization
 * says nothing here.
 */
export const getDocumentById: Handler<typeof content.getDocumentById, ContentEnvironment> = async (
  { params },
  { db, space, urls },
) => {
  const hash = sql`${params.documentId}`;
  const found = userRow.query(sql`
    WITH RECURSIVE ${lineageCte(JSON.stringify(space.head.lineage))}, kinds(kind) AS MATERIALIZED (VALUES ('page'), ('reusable-content')),
    users(depth, kind, id) AS (
      SELECT l.depth, k.kind, ${nextUser(hash, sql`k.kind`, sql`''`)} FROM lineage l CROSS JOIN kinds k
      UNION ALL
      SELECT u.depth, u.kind, ${nextUser(hash, sql`u.kind`, sql`u.id`)}
      FROM users u CROSS JOIN lineage l ON l.depth = u.depth WHERE u.id IS NOT NULL LIMIT ${maxUsers}
    )
    SELECT ${userRow} FROM documents d CROSS JOIN users u CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`u.kind`, sql`u.id`)}
    WHERE d.hash = ${hash} AND v.document = d.hash AND v.deleted = 0 AND ${seen} LIMIT 1`);
  const row = await readRow(db, found);
  const node = row && toNode(row);
  if (row === undefined || node === undefined) throw notFound('document');
  const text = { node, markdown: row.markdown, scope: scopeOfSpace([]), contents: new Map() };
  const form = { evaluated: false, dereferenced: false };
  const at = { db, point: space.head, space: space.id, urls, shown: undefined };
  const { late } = await readLateLinks([new LinkingText(text)], at);
  return publishedText(text, form, { reading: { space: space.id, urls, late }, isKept: true });
};

/** The next node, by id, that ever had a text on the branch of `l`: one seek, however many versions had it. */
const nextUser = (
  hash: SQL,
  kind: SQL,
  after: SQL,
): SQL => sql`(SELECT MIN(x.id) FROM versions x INDEXED BY versions_documents
  WHERE x.document = ${hash} AND x.branch = l.branch AND x.kind = ${kind} AND x.id > ${after})`;
