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
/** The most pages, or spaces, of one answer. */
export const maxPageSize = maxShown;

/** What a title, a heading or a text that has the words counts: 10 for each place in the order, and what it is. */
interface Order {
  whole: [title: number, heading: number, text: number];
  begun: [title: number, heading: number, text: number];
}
const byPart: Order = { whole: [0, 21, 42], begun: [10, 31, 52] };
/** Where the beginning is not all that was typed, the words themselves come first: that finds too much. */
const wordsFirst: Order = { whole: [0, 11, 22], begun: [30, 41, 52] };

/** The CTE `found(id, class)`: the first sections in which the words were found; `scope` is a part of an expression. */
export function foundCte(scope: string, { whole, begun, apart, cutFrom }: Expressions): SQL {
  const matching = (words: string) => `${scope} AND ${words}`;
  const order = cutFrom === undefined ? byPart : wordsFirst;
  const highest = apart
    ? sql`AND rowid <= COALESCE((SELECT rowid FROM search_index WHERE search_index MATCH ${matching(apart)}
        ORDER BY rowid LIMIT 1 OFFSET ${maxLookedThrough}), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`
    : sql``;
  const from = (name: string, words: string, quality: number) => {
    const index = sql.raw(name);
    return sql`SELECT * FROM (SELECT rowid AS id, ${sql.raw(String(quality))} AS class FROM ${index}
      WHERE ${index} MATCH ${matching(words)} ${name === 'search_index' ? highest : sql``}
      ORDER BY rowid LIMIT ${maxCandidates})`;
  };
  const inAll = (words: string, [title, heading, text]: Order['whole']) => sql`SELECT * FROM (
    ${from('search_index_titles', words, title)} UNION ALL ${from('search_index_headings', words, heading)}
    UNION ALL ${from('search_index', words, text)})`;
  const found = [inAll(whole, order.whole), ...(begun === undefined ? [] : [inAll(begun, order.begun)])];
  return sql`found(id, class) AS MATERIALIZED (
    SELECT id, MIN(class) FROM (${sql.join(found, sql` UNION ALL `)}) GROUP BY id ORDER BY 2, 1 LIMIT ${maxSections})`;
}

/** How many of several things each of `count` shows, so that all of them show about `maxShown`. */
export const share = (most: number, count: SQL): SQL => sql`MAX(1, MIN(${most}, ${maxShown} / ${count}))`;

interface Content {
  /** The condition on `search_sections s` for the spaces that are searched: it comes before the ranking is cut. */
  within: SQL;
  /** The lineage, in JSON, of the content of a space that is searched. */
  lineageOf: (space: SQL) => SQL;
  /** What was typed of a word of which a beginning was searched for. */
  cutFrom: string | undefined;
}

/**
 * The recursive CTEs `hits(id, space, page, rank)`, the sections of `found`, and `pages(space, page, title, path, best, first)`,
 * those pages of them that a reader of the space finds in its tree, with the rank of their best section and their first.
 * Of titles and headings, the shorter is the closer to the words. Each CTE is named once or twice: SQLite compiles it each time.
 */
export function pagesCtes({ within, lineageOf, cutFrom }: Content): SQL {
  const lacks =
    cutFrom === undefined
      ? sql`0`
      : sql`f.class >= 30 AND instr(lower(s.title || ' ' || s.heading || ' ' || s.body), ${cutFrom}) = 0`;
  return sql`hits(id, space, page, rank) AS MATERIALIZED (
      SELECT s.id, s.space, s.page, 1000 * (f.class + 100 * (${lacks})) + MIN(999, CASE f.class % 10 WHEN 0 THEN length(s.title) WHEN 1 THEN length(s.heading) ELSE 0 END)
      FROM found f CROSS JOIN search_sections s ON s.id = f.id WHERE ${within}
    ), above(space, lineage, page, best, first, level, state) AS (
      SELECT h.space, h.lineage, h.page, h.best, h.first, 0, ${stateOf(sql`h.lineage`, sql`h.page`)}
      FROM (SELECT space, page, ${lineageOf(sql`hits.space`)} AS lineage, MIN(rank) AS best, MIN(id) AS first
        FROM hits GROUP BY space, page) h
      UNION ALL
      SELECT space, lineage, page, best, first, level + 1, ${stateOf(sql`above.lineage`, sql`(above.state->>0)`)}
      FROM above WHERE state->>0 <> '' AND level < 256
    ), pages(space, page, title, path, best, first) AS (
      SELECT space, page, MAX(CASE level WHEN 0 THEN state->>3 END), group_concat(state->>1, '/' ORDER BY level DESC),
        best, first
      FROM above GROUP BY space, page HAVING COUNT(state) = COUNT(*) AND MAX(COALESCE(state->>2, 0)) = 0)`;
}

/** An expression: parent, slug, noIndex and title of a page in a lineage, in JSON; null where it is deleted. */
const stateOf = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT CASE WHEN v.deleted = 0 THEN json_array(v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title') END
  FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/**
 * The rows of an answer: the best sections of the pages in the CTE `chosen(space, page, title, path, place, shown)`, in the
 * order of `place`; `shown` is how many pages the answer has.
 */
export const selectShown = sql`
  SELECT c.space, c.page, c.title, c.path, s.anchor, s.title AS indexed, s.heading,
    substr(s.body, 1, ${2 * maxPieceLength}) AS body
  FROM (SELECT c.*, h.id, row_number() OVER (PARTITION BY c.space, c.page ORDER BY h.rank, h.id) AS nth
    FROM chosen c CROSS JOIN hits h ON h.space = c.space AND h.page = c.page) c
  CROSS JOIN search_sections s ON s.id = c.id
  WHERE c.nth <= ${share(maxSectionsPerPage, sql`c.shown`)} ORDER BY c.place, c.nth`;
