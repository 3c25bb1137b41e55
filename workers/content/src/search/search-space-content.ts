import type { Row } from '@octavo/db';
import { badCursor, decodeCursor, paginate, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, SearchPage } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';
import { joinCharacters, matchExpression } from './words.ts';

/** How many sections one search ranks: what is ranked lower is not found, so that a common word stays cheap. */
const maxSections = 500;
const maxSectionsPerPage = 5;
const snippetWords = 24;
const bodyColumn = sql.raw('3');
/** bm25 weights of the columns scope, title, heading, body. */
const weights = sql.raw('0.0, 10.0, 5.0, 1.0');

export const searchSpaceContent: Handler<typeof content.searchSpaceContent, ContentEnvironment> = async (
  { query },
  { db, space, point, urls },
) => {
  // A place in the bounded ranking, not the rank: that counts every tenant's words, and would tell of them.
  const [given = 0] = decodeCursor(query.page, ['index']) ?? [];
  if (Number(given) > maxSections) throw badCursor();
  const expression = matchExpression(query.query, space.id);
  if (expression === undefined || query.limit === 0) return { count: 0, items: [] };
  const lineage = JSON.stringify(point.lineage);
  const rows = await db.all<Row>(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, hits(id, page, anchor, heading, rank, snippet) AS MATERIALIZED (
      SELECT s.id, s.page, s.anchor, s.heading, bm25(search_index, ${weights}) AS rank,
        snippet(search_index, ${bodyColumn}, '', '', '…', ${snippetWords})
      FROM search_index CROSS JOIN search_sections s ON s.id = search_index.rowid
      WHERE search_index MATCH ${expression} AND s.space = ${space.id} ORDER BY rank LIMIT ${maxSections}
    ), above(page, id, parent, slug, noIndex, title, level) AS (
      SELECT h.page, h.page, ${current('parent', sql`h.page`)}, ${current('slug', sql`h.page`)}, ${current('noIndex', sql`h.page`)},
        ${current('title', sql`h.page`)}, 0 FROM (SELECT DISTINCT page FROM hits) h
      UNION ALL
      SELECT page, parent, ${current('parent', sql`above.parent`)}, ${current('slug', sql`above.parent`)},
        ${current('noIndex', sql`above.parent`)}, NULL, level + 1 FROM above WHERE parent <> '' AND level < 256
    ), pages(page, title, path) AS MATERIALIZED (
      SELECT page, MAX(title), group_concat(slug, '/' ORDER BY level DESC) FROM above GROUP BY page
      HAVING COUNT(parent) = COUNT(*) AND MAX(COALESCE(noIndex, 0)) = 0
    ), ranked(page, rank) AS MATERIALIZED (
      SELECT h.page, MIN(h.rank) FROM hits h CROSS JOIN pages p ON p.page = h.page
      GROUP BY h.page ORDER BY 2, 1 LIMIT ${query.limit + 1} OFFSET ${given}
    )
    SELECT r.page, p.title, p.path, h.anchor, h.heading, h.snippet
    FROM ranked r CROSS JOIN pages p ON p.page = r.page CROSS JOIN hits h ON h.page = r.page
    ORDER BY r.rank, r.page, h.rank`);
  return paginate(groupByPage(rows), query.limit, {
    item: (found) => presentFound(found, (path) => urls.app(`/spaces/${space.id}${path}`)),
    cursorOf: () => [Number(given) + query.limit],
  });

  function current(column: 'parent' | 'slug' | 'noIndex' | 'title', id: ReturnType<typeof sql>) {
    const value = column === 'noIndex' || column === 'title' ? `v.data->>'$.fields.${column}'` : `v.${column}`;
    return sql`(SELECT CASE WHEN v.deleted = 0 THEN ${sql.raw(value)} END FROM lineage l CROSS JOIN versions v
      ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;
  }
};

type Found = [Row, ...Row[]];

function groupByPage(rows: Row[]): Found[] {
  const pages = new Map<string, Found>();
  for (const row of rows) {
    const found = pages.get(text(row, 'page'));
    if (found === undefined) pages.set(text(row, 'page'), [row]);
    else found.push(row);
  }
  return [...pages.values()];
}

function presentFound(found: Found, app: (path: string) => string): SearchPage {
  const [first] = found;
  const [id, path] = [text(first, 'page'), text(first, 'path')];
  const page = `/content/page/${id}`;
  return {
    id,
    title: text(first, 'title'),
    path,
    urls: { app: app(page) },
    sections: found.slice(0, maxSectionsPerPage).map((row) => {
      const anchor = text(row, 'anchor');
      const hash = anchor === '' ? '' : `#${anchor}`;
      return {
        id: anchor === '' ? id : anchor,
        title: joinCharacters(text(row, 'heading')),
        path: `${path}${hash}`,
        body: joinCharacters(text(row, 'snippet')),
        urls: { app: app(`${page}${hash}`) },
      };
    }),
  };
}
