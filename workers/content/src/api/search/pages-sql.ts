import type { RecordOf } from '@octavo/db';
import { given, searchSections, selection } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { lineageCte, stateAt } from '../../engine/nodes/find-nodes.ts';
import { maxPieceLength } from '../../engine/search/index-changed-pages.ts';

/** How many sections one answer shows, and gives the text of, where it has no more pages than that. */
const maxShown = 100;
const maxSectionsPerPage = 5;
/** The most pages, or spaces, of one answer. */
export const maxPageSize = maxShown;

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
    ), tops(space, page, lineage, best, first) AS MATERIALIZED (
      SELECT space, page, ${lineageOf(sql`hits.space`)}, MIN(rank), MIN(id) FROM hits GROUP BY space, page
    ), nodes(space, id, lineage, state) AS MATERIALIZED (
      SELECT space, page, lineage, ${stateOf(sql`tops.lineage`, sql`tops.page`)} FROM tops
      UNION
      SELECT space, state->>0, lineage, ${stateOf(sql`nodes.lineage`, sql`(nodes.state->>0)`)}
      FROM nodes WHERE state->>0 <> ''
    ), above(space, page, best, first, level, state) AS (
      SELECT t.space, t.page, t.best, t.first, 0, n.state FROM tops t CROSS JOIN nodes n ON n.space = t.space AND n.id = t.page
      UNION ALL
      SELECT a.space, a.page, a.best, a.first, level + 1, n.state
      FROM above a CROSS JOIN nodes n ON n.space = a.space AND n.id = a.state->>0
      WHERE a.state->>0 <> '' AND level <= ${maxPageDepth}
    ), pages(space, page, title, path, best, first) AS (
      SELECT space, page, MAX(CASE level WHEN 0 THEN state->>3 END), group_concat(state->>1, '/' ORDER BY level DESC),
        best, first
      FROM above GROUP BY space, page HAVING COUNT(state) = COUNT(*) AND MAX(COALESCE(state->>2, 0)) = 0)`;
}

/** An expression: parent, slug, noIndex and title of a page in a lineage, in JSON; null where it is deleted. */
const stateOf = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT CASE WHEN v.deleted = 0 THEN json_array(v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title') END
  FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

const s = aliasedTable(searchSections, 's');

/** A section that an answer shows, with its page. */
export const shownRow = selection({
  ...{ space: given(s.space), page: given(s.page), title: given(String), path: given(String) },
  ...{ anchor: s.anchor, indexed: s.title, heading: s.heading, body: given(s.body) },
});
export type ShownRow = RecordOf<typeof shownRow>;

/**
 * The rows of an answer: the best sections of the pages in the CTE `chosen(space, page, title, path, place, shown)`, in the
 * order of `place`; `shown` is how many pages the answer has.
 */
export const selectShown = sql`
  SELECT c.space, c.page, c.title, c.path, ${shownRow.with({ body: sql`substr(s.body, 1, ${maxPieceLength})` })}
  FROM (SELECT c.*, h.id, row_number() OVER (PARTITION BY c.space, c.page ORDER BY h.rank, h.id) AS nth
    FROM chosen c CROSS JOIN hits h ON h.space = c.space AND h.page = c.page) c
  CROSS JOIN search_sections s ON s.id = c.id
  WHERE c.nth <= ${share(maxSectionsPerPage, sql`c.shown`)} ORDER BY c.place, c.nth`;
