import type { RecordOf } from '@octavo/db';
import { given, searchSections, selection } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { maxPieceLength } from '../../engine/search/sections.ts';
import { lineageCte, stateAt } from '../../engine/store/lineage.ts';

/** How many sections one answer shows, and gives the text of, where it has no more pages than that. */
const maxShown = 100;
const maxSectionsPerPage = 5;
/** The most pages, or spaces, of one answer. */
export const maxPageSize = maxShown;

/** How many of several things each of `count` shows, so that all of them show about `maxShown`. */
export const share = (most: number, count: SQL): SQL =>
  sql`MAX(1, MIN(${sql.raw(`${most}, ${maxShown}`)} / CAST(${count} AS INTEGER)))`;

/**
 * The CTE `ranked(space, pages)`: the pages of the sections in the CTE `hits`, the best first, in JSON. Each is an array of
 * its id, the rank of its best section, and the ids of its sections, the best first.
 */
export const rankedCte = sql`ranked(space, pages) AS MATERIALIZED (
    SELECT space, json_group_array(json_array(page, best, json(sections)) ORDER BY best, first, page) FROM (
      SELECT space, page, MIN(rank) AS best, MIN(id) AS first, json_group_array(id ORDER BY rank, id) AS sections
      FROM hits GROUP BY space, page)
    GROUP BY space)`;

/**
 * What a join reads the first of the pages of `ranked` from that a reader of their space finds in its tree: `p` is the page,
 * `shown` its title and path. It is no further read than a LIMIT needs, so that a long ranking costs little. `met` are the
 * conditions that the reader meets, in JSON; null where no conditions count.
 */
export const visiblePages = (pages: SQL, { space, lineage, met }: Searched): SQL =>
  sql`json_each(${pages}) p CROSS JOIN json_each(${shownOf(sql`p.value->>0`, { space, lineage, met })}) shown`;

/** A space, its lineage, and the conditions that are met; expressions. */
interface Searched {
  space: SQL;
  lineage: SQL;
  met?: SQL | undefined;
}

/** An expression: whether a page is made of another, by its id; and the id of what it is made of, or its own. */
const isMade = (page: SQL): SQL => sql`instr(${page}, '-') > 0`;
const originOf = (page: SQL): SQL => sql`iif(${isMade(page)}, substr(${page}, 1, instr(${page}, '-') - 1), ${page})`;

/** Title and path of a page that is made of a specification which its space may show, or by an integration. */
const madeIn = (space: SQL, page: SQL): SQL => sql`
  SELECT m.title, m.path FROM search_made_pages m CROSS JOIN openapi_versions n ON n.id = m.version
  CROSS JOIN openapi_specs t ON t.id = n.spec CROSS JOIN spaces o ON o.id = m.space AND o.organization = t.organization
  WHERE ${isMade(page)} AND m.space = ${space} AND m.page = ${page}
  UNION ALL SELECT m.title, m.path FROM search_made_pages m CROSS JOIN computed_contents k ON k.space = m.space
    AND k.page = ${originOf(page)} AND k.version = m.version
  CROSS JOIN spaces o ON o.id = m.space AND o.organization = k.organization
  WHERE ${isMade(page)} AND m.space = ${space} AND m.page = ${page}`;

/** An expression: a JSON array of a page's title and path, in an array; null where it is not found in the tree. */
const shownOf = (page: SQL, { space, lineage, met }: Searched): SQL => sql`(
  WITH RECURSIVE made(title, path) AS MATERIALIZED (${madeIn(space, page)}), up(level, state) AS (
    SELECT 0, ${stateOf(lineage, originOf(page))}
    UNION ALL
    SELECT level + 1, ${stateOf(lineage, sql`(up.state->>0)`)} FROM up
    WHERE state->>0 <> '' AND level <= ${sql.raw(String(maxPageDepth))}
  )
  SELECT json_array(json_array(COALESCE((SELECT title FROM made), MAX(CASE level WHEN 0 THEN state->>3 END)),
    group_concat(COALESCE(CASE level WHEN 0 THEN (SELECT path FROM made) END, state->>1), '/' ORDER BY level DESC)))
  FROM up HAVING COUNT(state) = COUNT(*) AND MAX(COALESCE(state->>2, 0)) = 0
    AND (NOT ${isMade(page)} OR EXISTS (SELECT 1 FROM made))
    ${met === undefined ? sql`` : sql`AND MAX(${met} IS NOT NULL AND state->>4 IS NOT NULL AND NOT ${isIn(sql`'=' || (state->>4)`, met)}) = 0`})`;

const isIn = (condition: SQL, met: SQL): SQL => sql`(${condition}) IN (SELECT value FROM json_each(${met}))`;

/** A condition: all that must hold for `search_sections s` to be shown is met, or no conditions count. */
export const areMet = (met: SQL): SQL => sql`(${met} IS NULL OR s.conditions = ''
  OR NOT EXISTS (SELECT 1 FROM json_each(s.conditions) c WHERE NOT ${isIn(sql`c.value`, met)}))`;

/** An expression: parent, slug, noIndex, title and condition of a page in a lineage, in JSON; null where it is deleted. */
const stateOf = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT CASE WHEN v.deleted = 0 THEN json_array(v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title', v.data->>'$.fields.condition') END
  FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

const s = aliasedTable(searchSections, 's');

/** A section that an answer shows, with its page. */
export const shownRow = selection({
  ...{ space: given(s.space), page: given(s.page), title: given(String), path: given(String) },
  ...{ anchor: s.anchor, indexed: s.title, heading: s.heading, body: given(s.body) },
});
export type ShownRow = RecordOf<typeof shownRow>;

const maxBody = sql.raw(String(maxPieceLength));

/**
 * The rows of an answer: the best sections of the pages in the CTE `chosen(space, page, title, path, sections, spot, place)`, in
 * the order of `spot` and `place`; `count` is how many pages the answer has.
 */
export const selectShown = (count: SQL): SQL => sql`
  SELECT c.space, c.page, c.title, c.path, ${shownRow.with({ body: sql`substr(s.body, 1, ${maxBody})` })}
  FROM (SELECT *, ${count} AS shown FROM chosen) c
  CROSS JOIN json_each(c.sections) each CROSS JOIN search_sections s ON s.id = each.value
  WHERE each.key < ${share(maxSectionsPerPage, sql`c.shown`)} ORDER BY c.spot, c.place, each.key`;
