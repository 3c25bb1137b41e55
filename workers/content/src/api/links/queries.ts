import { sql } from 'drizzle-orm';
import { linkRow } from '../../engine/links/document-links.ts';
import { createLineageCte, queryAncestors, selectIds, selectState } from '../../engine/store/lineage.ts';

export const readPageLinks = (lineage: string, id: string) =>
  linkRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${linkRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN document_links d ON d.hash = p.document ORDER BY d.ordinal`);

/** Maximum number of links listed for a space, in order of document hash. */
const maxLinks = 100_000;

export const readAllLinks = (lineage: string) =>
  linkRow.query(sql`
    WITH ${createLineageCte(lineage)}, kinds(kind) AS MATERIALIZED (VALUES ('page'), ('reusable-content')),
    states(document, deleted, depth) AS MATERIALIZED (
      SELECT v.document, v.deleted, MIN(l.depth)
      FROM lineage l CROSS JOIN kinds k CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = k.kind AND v.until > l.seq AND v.since <= l.seq
      GROUP BY v.kind, v.id)
    SELECT ${linkRow}
    FROM (SELECT DISTINCT document FROM states WHERE deleted = 0 AND document IS NOT NULL) s
    CROSS JOIN document_links d ON d.hash = s.document
    ORDER BY d.hash, d.ordinal LIMIT ${maxLinks}`);

/** Returns the query for a page and its ancestors. */
export const queryPageWithAncestors = (lineage: string, id: string) => queryAncestors(lineage, sql`SELECT ${id}`);

/** Returns the query for pages and their ancestors. */
export const queryPagesWithAncestors = (lineage: string, ids: Iterable<string>) =>
  queryAncestors(lineage, selectIds(ids));
