import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';
import { maxPieceLength } from './index-changed-pages.ts';
import type { Expressions } from './match-expression.ts';

/** How many sections one search ranks: what comes later is not found, so that a common word stays cheap. */
export const maxSections = 500;
/** How many sections each index gives to be ranked. */
const maxCandidates = 200;
/** How many sections are looked through for the phrases of words whose parts stand in them. */
const maxLookedThrough = 4000;
/** How many sections one answer shows, and gives the text of, where it has no more pages than that. */
const maxShown = 100;
const maxSectionsPerPage = 5;

/** The CTE `name(id, class)`: the first sections in which the words were found, titles before headings before texts. */
export function candidatesCte(name: string, scope: SQL, { whole, begun, apart }: Expressions): SQL {
  const matching = (words: string) => sql`${scope} || ' AND ' || ${words}`;
  const highest = apart
    ? sql`AND rowid <= COALESCE((SELECT rowid FROM search_index WHERE search_index MATCH ${matching(apart)}
        ORDER BY rowid LIMIT 1 OFFSET ${maxLookedThrough}), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`
    : sql``;
  const from = (index: string, quality: number, words: string) => {
    const table = sql.raw(index);
    return sql`SELECT * FROM (SELECT rowid AS id, ${quality} AS class FROM ${table} WHERE ${table} MATCH ${matching(words)}
      ${index === 'search_index' ? highest : sql``} ORDER BY rowid LIMIT ${maxCandidates})`;
  };
  const inAll = (words: string, more: number) => sql`SELECT * FROM (${from('search_index_titles', more, words)}
    UNION ALL ${from('search_index_headings', 2 + more, words)} UNION ALL ${from('search_index', 4 + more, words)})`;
  const found = begun === undefined ? inAll(whole, 0) : sql`${inAll(whole, 0)} UNION ALL ${inAll(begun, 1)}`;
  return sql`${sql.raw(name)}(id, class) AS MATERIALIZED (
    SELECT id, MIN(class) FROM (${found}) GROUP BY id ORDER BY 2, 1 LIMIT ${maxSections})`;
}

/** How many of several things each of `count` shows, so that all of them show about `maxShown`. */
export const share = (most: number, count: SQL): SQL => sql`MAX(1, MIN(${most}, ${maxShown} / ${count}))`;

/** The most pages, or spaces, of one answer. */
export const maxPageSize = maxShown;

interface Content {
  /** The condition on `search_sections s` for the spaces that are searched: it comes before the ranking is cut. */
  within: SQL;
  /** The lineage, in JSON, of the content of a space that is searched. */
  lineageOf: (space: SQL) => SQL;
}

/**
 * The recursive CTEs `hits(id, space, page, rank)`, the sections of `found`, and `pages(space, page, title, path)`, those
 * pages of them that a reader of the space finds in its tree. Of titles and headings, the shorter is the closer to the words.
 */
export function foundCtes({ within, lineageOf }: Content): SQL {
  return sql`hits(id, space, page, rank) AS MATERIALIZED (
      SELECT s.id, s.space, s.page, 1000 * f.class + MIN(999,
        CASE WHEN f.class < 2 THEN length(s.title) WHEN f.class < 4 THEN length(s.heading) ELSE 0 END)
      FROM found f CROSS JOIN search_sections s ON s.id = f.id WHERE ${within}
    ), above(space, lineage, page, level, state) AS (
      SELECT h.space, h.lineage, h.page, 0, ${stateOf(sql`h.lineage`, sql`h.page`)}
      FROM (SELECT space, page, ${lineageOf(sql`hits.space`)} AS lineage FROM hits GROUP BY space, page) h
      UNION ALL
      SELECT space, lineage, page, level + 1, ${stateOf(sql`above.lineage`, sql`(above.state->>0)`)}
      FROM above WHERE state->>0 <> '' AND level < 256
    ), pages(space, page, title, path) AS MATERIALIZED (
      SELECT space, page, MAX(CASE level WHEN 0 THEN state->>3 END), group_concat(state->>1, '/' ORDER BY level DESC)
      FROM above GROUP BY space, page HAVING COUNT(state) = COUNT(*) AND MAX(COALESCE(state->>2, 0)) = 0)`;
}

/** An expression: parent, slug, noIndex and title of a page in a lineage, in JSON; null where it is deleted. */
const stateOf = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT CASE WHEN v.deleted = 0 THEN json_array(v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title') END
  FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** The rows of an answer: the best sections of the pages in the CTE `chosen(space, name, page, place)`, in their order. */
export const selectShown = sql`
  SELECT c.space, c.name, c.page, p.title, p.path, s.anchor, s.title AS indexed, s.heading,
    substr(s.body, 1, ${2 * maxPieceLength}) AS body
  FROM (SELECT c.*, h.id, row_number() OVER (PARTITION BY c.space, c.page ORDER BY h.rank, h.id) AS nth
    FROM chosen c CROSS JOIN hits h ON h.space = c.space AND h.page = c.page) c
  CROSS JOIN pages p ON p.space = c.space AND p.page = c.page CROSS JOIN search_sections s ON s.id = c.id
  WHERE c.nth <= ${share(maxSectionsPerPage, sql`(SELECT COUNT(*) FROM chosen)`)} ORDER BY c.place, c.nth`;
