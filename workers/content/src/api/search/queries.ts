import type { RecordOf } from '@octavo/db';
import {
  createCursorError,
  decodeCursor,
  fromJson,
  fromQuery,
  isActive,
  nullable,
  prepareStatement,
  selection,
  selectSpaceRank,
  siteSections,
  siteSpaces,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, OrganizationId, Role, SiteId, SiteSearch, SiteSearchScope, UserId } from '@octavo/schema';
import { maxHits } from '@octavo/search';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/**
 * Decodes the offset into the ranking. The cursor has the offset instead of the rank, because ranks would reveal words
 * of other tenants.
 * @throws ApiError invalid
 */
export function decodeOffset(page: string | undefined): number {
  const [index = 0] = decodeCursor(page, ['index']) ?? [];
  if (Number(index) > maxHits) throw createCursorError();
  return Number(index);
}

/** Maximum number of pages, or spaces, in one response. */
export const maxPageSize = 100;

/**
 * A join on the pages of `ranked` that readers of the space find in its page tree. `p` is the page, and `shown` is its
 * title and path. A LIMIT stops the join early, so a long ranking stays cheap. `metConditions` are the conditions that
 * the reader meets, in JSON; null to ignore conditions.
 */
export const selectVisiblePages = (pages: SQL, { space, lineage, metConditions }: Searched): SQL =>
  sql`json_each(${pages}) p CROSS JOIN json_each(${selectVisiblePage(sql`p.value->>0`, { space, lineage, metConditions })}) shown`;

/** SQL expressions for a space, its lineage, and the conditions that the reader meets. */
interface Searched {
  space: SQL;
  lineage: SQL;
  metConditions?: SQL | undefined;
}

/** Returns the SQL condition that a page is generated. */
const isGenerated = (page: SQL): SQL => sql`instr(${page}, '-') > 0`;
/** Returns an SQL expression for the id of the computed page of a generated page, or the id of any other page. */
const selectSourceId = (page: SQL): SQL =>
  sql`iif(${isGenerated(page)}, substr(${page}, 1, instr(${page}, '-') - 1), ${page})`;

/**
 * Selects the title and path of a generated page, if the space may use its specification or if an integration generated
 * it.
 */
const selectGeneratedPage = (space: SQL, page: SQL): SQL => sql`
  SELECT m.title, m.path FROM search_made_pages m CROSS JOIN openapi_versions n ON n.id = m.version
  CROSS JOIN openapi_specs t ON t.id = n.spec CROSS JOIN spaces o ON o.id = m.space AND o.organization = t.organization
  WHERE ${isGenerated(page)} AND m.space = ${space} AND m.page = ${page}
  UNION ALL SELECT m.title, m.path FROM search_made_pages m CROSS JOIN computed_contents k ON k.space = m.space
    AND k.page = ${selectSourceId(page)} AND k.version = m.version
  CROSS JOIN spaces o ON o.id = m.space AND o.organization = k.organization
  WHERE ${isGenerated(page)} AND m.space = ${space} AND m.page = ${page}`;

/**
 * Returns an SQL expression for a JSON array with an array of a page's title and path; null if there is no such page.
 * After an update of a change request, the parent of a page can be deleted, or be a descendant of the page. The path
 * starts below such a parent.
 */
const selectVisiblePage = (page: SQL, { space, lineage, metConditions }: Searched): SQL => {
  // Each row of `up` adds a level to the path of the row before it, so that no rows have to be sorted. The state is null
  // if there is no such page.
  const title = sql`COALESCE(title, CASE WHEN ${isGenerated(page)} THEN (SELECT title FROM made) END, state->>4)`;
  const slug = sql`COALESCE(CASE WHEN level = 0 AND ${isGenerated(page)} THEN (SELECT path FROM made) END, state->>2)`;
  const path = sql`${slug} || COALESCE('/' || path, '')`;
  const isHidden = sql`(hidden OR COALESCE(state->>3, 0)
    ${metConditions === undefined ? sql`` : sql`OR (${metConditions} IS NOT NULL AND state->>5 IS NOT NULL AND NOT ${isInList(sql`'=' || (state->>5)`, metConditions)})`})`;
  return sql`(
  WITH RECURSIVE made(title, path) AS MATERIALIZED (${selectGeneratedPage(space, page)}), up(level, below, title, path, hidden, state) AS (
    SELECT 0, ${page}, NULL, NULL, 0, ${selectPageState(lineage, selectSourceId(page))}
    UNION ALL
    SELECT level + 1, below || (state->>1), ${title}, ${path}, ${isHidden}, ${selectPageState(lineage, sql`(up.state->>1)`)} FROM up
    WHERE state->>1 <> '' AND instr(below, state->>1) = 0 AND level <= ${sql.raw(String(maxPageDepth))}
  )
  SELECT json_array(json_array(${title}, COALESCE(${path}, path)))
  FROM (SELECT MAX(level) AS level, title, path, hidden, state FROM up)
  WHERE (level > 0 OR state IS NOT NULL) AND NOT ${isHidden} AND (NOT ${isGenerated(page)} OR EXISTS (SELECT 1 FROM made)))`;
};

const isInList = (condition: SQL, metConditions: SQL): SQL =>
  sql`(${condition}) IN (SELECT value FROM json_each(${metConditions}))`;

/**
 * Returns an SQL expression for the state of a page in a lineage (deleted, parent, slug, noIndex, title, condition), as
 * JSON; null if the page is deleted. `json_each` returns rows in order, so the LIMIT stops at the nearest branch that
 * has the page. Without the inner LIMIT, SQLite reads a state once for each mention of it.
 */
const selectPageState = (lineage: SQL, id: SQL): SQL => sql`(
  SELECT CASE WHEN state->>0 = 0 THEN state END FROM (
    SELECT (SELECT json_array(v.deleted, v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title', v.data->>'$.fields.condition')
      FROM versions v WHERE v.branch = l.value->>0 AND v.kind = 'page' AND v.id = ${id} AND v.since <= l.value->>1
      ORDER BY v.since DESC LIMIT 1) AS state
    FROM json_each(${lineage}) l ORDER BY l.rowid LIMIT -1) WHERE state IS NOT NULL LIMIT 1)`;

/** A page in a response, with the key of its texts and the numbers of its sections. */
export const hitRow = selection({
  ...{ space: fromQuery(String), page: fromQuery(String), title: fromQuery(String), path: fromQuery(String) },
  sections: fromQuery(fromJson<[key: string, numbers: number[]]>()),
});
export type HitRow = RecordOf<typeof hitRow>;

/** Maximum number of pages of a space in a response, and of the only space that is searched. */
export const maxPagesPerSpace = 10;
export const maxPagesOfOnlySpace = 50;
/** Maximum number of pages in a response with several spaces. A response with more spaces has one page for each. */
const maxPages = sql.raw('100');

/**
 * Reads the spaces and pages of a response, and one more space to see if there is a next page. `ranked` has the spaces
 * in order, each with the ranking of its pages, of which at most `pagesPerSpace` are read. SQLite reads subqueries with
 * LIMIT -1 row by row and only once. So it stops at the LIMIT of `shown`, before it reads the pages of further spaces.
 */
export const readRankedSpaces = prepareStatement(
  (
    ranked: SQL<string>,
    metConditions: SQL<string | null>,
    pagesPerSpace: SQL<number>,
    limit: SQL<number>,
    offset: SQL<number>,
  ) =>
    hitRow.query(sql`
      WITH shown(place, space, pages) AS MATERIALIZED (
        SELECT * FROM (
          SELECT f.place, f.space, (SELECT json_group_array(json(page)) FROM (
            SELECT json_array(p.value->>0, shown.value->>0, shown.value->>1, p.value->2) AS page
            FROM ${selectVisiblePages(sql`f.pages`, { space: sql`f.space`, lineage: sql`f.lineage`, metConditions })}
            ORDER BY p.rowid
            LIMIT MAX(1, MIN(${pagesPerSpace}, ${maxPages} / MIN(${limit}, json_array_length(${ranked}))))
          )) AS pages
          FROM (
            SELECT r.rowid AS place, r.value->>0 AS space, r.value->1 AS pages,
              (SELECT h.lineage FROM revisions h WHERE h.branch = r.value->>0 ORDER BY h.seq DESC LIMIT 1) AS lineage
            FROM json_each(${ranked}) r ORDER BY r.rowid LIMIT -1) f
          LIMIT -1)
        WHERE pages <> '[]' LIMIT ${limit} + 1 OFFSET ${offset}
      )
      SELECT s.space, c.value->>0 AS page, c.value->>1 AS title, c.value->>2 AS path, c.value->3 AS sections
      FROM shown s CROSS JOIN json_each(s.pages) c ORDER BY s.place, c.key`),
);

/**
 * Reads the first visible pages of a ranking, which is a JSON array of arrays of a space, a page and its sections.
 * `spaces` are the distinct spaces of the ranking, in JSON. A LIMIT stops the join early.
 */
export const readRankedHits = prepareStatement(
  (ranked: SQL<string>, spaces: SQL<string>, metConditions: SQL<string | null>, limit: SQL<number>) => {
    const visiblePage = selectVisiblePage(sql`r.value->>1`, {
      ...{ space: sql`c.space`, lineage: sql`c.lineage` },
      metConditions,
    });
    return hitRow.query(sql`
      WITH contents(space, lineage) AS MATERIALIZED (
        SELECT w.value, (SELECT r.lineage FROM revisions r WHERE r.branch = w.value ORDER BY r.seq DESC LIMIT 1)
        FROM json_each(${spaces}) w
      )
      SELECT c.space, r.value->>1 AS page, shown.value->>0 AS title, shown.value->>1 AS path, r.value->2 AS sections
      FROM json_each(${ranked}) r CROSS JOIN contents c ON c.space = r.value->>0 CROSS JOIN json_each(${visiblePage}) shown
      ORDER BY r.rowid LIMIT ${limit}`);
  },
);

const headRow = selection({ space: fromQuery(String), lineage: fromQuery(String) });

/** Reads the lineages of the live content of spaces, which are in JSON. */
export const readHeads = prepareStatement((spaces: SQL<string>) =>
  headRow.query(sql`
    SELECT w.value AS space, r.lineage FROM json_each(${spaces}) w CROSS JOIN revisions r ON r.branch = w.value
    WHERE r.seq = (SELECT MAX(seq) FROM revisions WHERE branch = w.value)`),
);

const synonymsRow = selection({ synonyms: nullable(fromQuery(String)) });

/** Reads the synonyms of an organization, as JSON. */
export const readSynonyms = prepareStatement((organization: SQL<OrganizationId>) =>
  synonymsRow.query(
    sql`SELECT o.search_synonyms AS ${synonymsRow.names.synonyms} FROM organizations o WHERE o.id = ${organization}`,
  ),
);

/** Reads the synonyms of the organization of a site, as JSON. */
export const readSynonymsOfSite = prepareStatement((site: SQL<SiteId>) =>
  synonymsRow.query(sql`
    SELECT o.search_synonyms AS ${synonymsRow.names.synonyms} FROM sites st CROSS JOIN organizations o ON o.id = st.organization
    WHERE st.id = ${site}`),
);

const spaceRow = selection({ id: fromQuery(String), title: fromQuery(String) });

/** Maximum number of spaces of an organization that are searched. */
const maxSpaces = sql.raw('2000');

/** Reads the spaces of an organization that a user may see. */
export const readVisibleSpaces = prepareStatement(
  (organization: SQL<OrganizationId>, user: SQL<UserId>, role: SQL<Role | null>) => {
    const rank = selectSpaceRank({ user, role, active: sql`1` });
    return spaceRow.query(sql`
      SELECT s.id, s.title FROM spaces s
      WHERE s.organization = ${organization} AND s.deleted_at IS NULL AND COALESCE(${rank}, 0) > 0 LIMIT ${maxSpaces}`);
  },
);

/** Maximum number of site spaces that are searched. */
const maxSiteSpaces = sql.raw('500');

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];

const searchedRow = selection({
  id: ss.id,
  space: ss.space,
  section: ss.section,
  isDefault: ss.isDefault,
  condition: ss.condition,
  sectionCondition: nullable(sec.condition),
  title: fromQuery(String),
});
type SearchedSpace = ReturnType<typeof searchedRow.read>;

/**
 * Reads the site spaces to search. A member or a preview only gets the site spaces whose space the user may see; a
 * visitor gets all that the site shows.
 */
export const readSiteSpaces = prepareStatement((site: SQL<SiteId>, user: SQL<UserId | null>) => {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return searchedRow.query(sql`
    SELECT ${searchedRow.with({ title: sql`s.title` })} FROM site_spaces ss
    CROSS JOIN sites st ON st.id = ss.site
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    WHERE ss.site = ${site} AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0)
    ORDER BY ss.section, ss.position LIMIT ${maxSiteSpaces}`);
});

/** Returns the titles, by id, of the spaces of a site that a search covers. */
export const getSearchedSpaces = (
  searched: SearchedSpace[],
  { claims, scope }: Pick<SiteSearch, 'claims' | 'scope'>,
): Map<string, string> =>
  new Map(
    searched
      .filter((each) => isVisible(each, claims))
      .filter(isInScope(scope))
      .map(({ space, title }) => [space, title]),
  );

const isVisible = ({ condition, sectionCondition }: SearchedSpace, claims: Claims | null): boolean =>
  claims === null || (isShownTo(condition, claims) && isShownTo(sectionCondition, claims));

/** Whether a site space is in scope: it is named, or it is the default of its section. */
const isInScope =
  (scope: SiteSearchScope) =>
  ({ id, isDefault }: SearchedSpace): boolean => {
    if (scope.mode === 'all') return true;
    if (scope.mode === 'specific') return scope.siteSpaceIds.includes(id);
    return isDefault || (scope.includedSiteSpaces?.includes(id) ?? false);
  };
