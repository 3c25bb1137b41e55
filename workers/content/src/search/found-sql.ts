import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';

/** How many sections one search ranks: what is ranked lower is not found, so that a common word stays cheap. */
export const maxSections = 500;
const snippetWords = 24;
const bodyColumn = sql.raw('3');
/** bm25 weights of the columns scope, title, heading, body. */
const weights = sql.raw('0.0, 10.0, 5.0, 1.0');

interface Search {
  expression: string;
  /** The condition on `search_sections s` for the spaces that are searched: it comes before the ranking is cut. */
  within: SQL;
  /** The lineage, in JSON, of the content of a space that is searched. */
  lineageOf: (space: SQL) => SQL;
}

/**
 * The recursive CTEs `hits(id, space, page, anchor, heading, rank, snippet)`, the sections in which the words were found,
 * and `pages(space, page, title, path)`, those pages of them that a reader of the space finds in its tree.
 */
export function foundCtes({ expression, within, lineageOf }: Search): SQL {
  const page = sql`h.page`;
  const parent = sql`above.parent`;
  return sql`hits(id, space, page, anchor, heading, rank, snippet) AS MATERIALIZED (
      SELECT s.id, s.space, s.page, s.anchor, s.heading, bm25(search_index, ${weights}) AS rank,
        snippet(search_index, ${bodyColumn}, '', '', '…', ${snippetWords})
      FROM search_index CROSS JOIN search_sections s ON s.id = search_index.rowid
      WHERE search_index MATCH ${expression} AND ${within} ORDER BY rank LIMIT ${maxSections}
    ), above(space, lineage, page, id, parent, slug, noIndex, title, level) AS (
      SELECT h.space, h.lineage, h.page, h.page, ${current('parent', sql`h.lineage`, page)},
        ${current('slug', sql`h.lineage`, page)}, ${current('noIndex', sql`h.lineage`, page)},
        ${current('title', sql`h.lineage`, page)}, 0
      FROM (SELECT DISTINCT space, page, ${lineageOf(sql`space`)} AS lineage FROM hits) h
      UNION ALL
      SELECT space, lineage, page, parent, ${current('parent', sql`above.lineage`, parent)},
        ${current('slug', sql`above.lineage`, parent)}, ${current('noIndex', sql`above.lineage`, parent)}, NULL, level + 1
      FROM above WHERE parent <> '' AND level < 256
    ), pages(space, page, title, path) AS MATERIALIZED (
      SELECT space, page, MAX(title), group_concat(slug, '/' ORDER BY level DESC) FROM above GROUP BY space, page
      HAVING COUNT(parent) = COUNT(*) AND MAX(COALESCE(noIndex, 0)) = 0)`;
}

/** An expression: a column of the state that a page has in a lineage, null where it is deleted. */
function current(column: 'parent' | 'slug' | 'noIndex' | 'title', lineage: SQL, id: SQL): SQL {
  const value = column === 'noIndex' || column === 'title' ? `v.data->>'$.fields.${column}'` : `v.${column}`;
  return sql`(WITH ${lineageCte(lineage)} SELECT CASE WHEN v.deleted = 0 THEN ${sql.raw(value)} END
    FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;
}
