import type { Database, RecordOf } from '@octavo/db';
import {
  createCursorError,
  decodeCursor,
  fromQuery,
  isActive,
  nullable,
  prepareStatement,
  readRows,
  runBatch,
  searchConditions,
  searchSections,
  selection,
  siteSections,
  siteSpaces,
  spaceRank,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type {
  Claims,
  OrganizationId,
  OrganizationSearch,
  Role,
  SiteId,
  SiteSearch,
  SiteSearchScope,
  UserId,
} from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { isTrue, maxPieceLength } from '../../engine/search/sections.ts';
import { lineageCte, selectState } from '../../engine/store/lineage.ts';
import type { SearchExpressions } from './match-expression.ts';
import { joinScopes, toScope } from './match-expression.ts';

/** Maximum number of sections ranked per search; further ones are not found, so that common words stay cheap. */
const maxSections = 300;
/** Maximum number of sections from each index. */
const maxCandidates = sql.raw('200');
/** Maximum number of sections that contain all tokens of the phrases and are scanned for the phrases themselves. */
const maxScannedSections = sql.raw('1000');

/**
 * The rank classes of hits. The tens digit defines the order, and the ones digit is the field of the match: 0 for the
 * title, 1 for a heading, 2 for a text. If the prefix is shorter than the typed word (`cut`), complete words rank
 * first, because the prefix matches too many words.
 */
const classes = {
  whole: { titles: { plain: 0, cut: 0 }, headings: { plain: 21, cut: 11 }, texts: { plain: 42, cut: 22 } },
  begun: { titles: { plain: 10, cut: 30 }, headings: { plain: 31, cut: 41 }, texts: { plain: 52, cut: 52 } },
};
/** The lowest class of hits found by a shortened prefix. */
const minCutClass = sql.raw('30');

/**
 * Returns the input of `hitsCtes` in JSON: expressions within `scope` (a part of an expression), and the typed word if
 * its prefix was shortened.
 */
export function toSearchInput(
  scope: string,
  { completeWords, lastPrefix, separateTerms, cutFrom }: SearchExpressions,
): string {
  const toScopedQuery = (words: string | undefined) => words && `${scope} AND ${words}`;
  return JSON.stringify([
    toScopedQuery(completeWords),
    toScopedQuery(lastPrefix),
    toScopedQuery(separateTerms),
    cutFrom,
  ]);
}

/**
 * The CTEs `found(id, class)`, the first sections with the words, and `hits(space, page, id, rank)`, those of them that
 * satisfy `scope`, a condition on `search_sections s`. Shorter titles and headings rank first.
 */
export function hitsCtes(expression: SQL<string>, scope: SQL): SQL {
  const part = (path: string) => sql`(${expression}->>${sql.raw(path)})`;
  const [wholeQuery, prefixQuery, separateQuery, cutFrom] = [part('0'), part('1'), part('2'), part('3')];
  const from = (name: string, words: SQL, { plain, cut }: { plain: number; cut: number }) => {
    const index = sql.raw(name);
    const upTo = name === 'search_index' ? sql`AND rowid <= (SELECT id FROM ceiling)` : undefined;
    return sql`SELECT * FROM (SELECT rowid AS id, iif(${cutFrom} IS NULL, ${sql.raw(`${plain}, ${cut}`)}) AS class FROM ${index}
      WHERE ${words} IS NOT NULL AND ${index} MATCH ${words} ${upTo} ORDER BY rowid LIMIT ${maxCandidates})`;
  };
  const selectInAll = (words: SQL, { titles, headings, texts }: typeof classes.whole) => sql`SELECT * FROM (
    ${from('search_index_titles', words, titles)} UNION ALL ${from('search_index_headings', words, headings)}
    UNION ALL ${from('search_index', words, texts)})`;
  const text = sql`lower(s.title || ' ' || s.heading || ' ' || s.body)`;
  return sql`ceiling(id) AS MATERIALIZED (SELECT COALESCE((SELECT rowid FROM search_index
      WHERE ${separateQuery} IS NOT NULL AND search_index MATCH ${separateQuery} ORDER BY rowid LIMIT 1 OFFSET ${maxScannedSections}),
      ${sql.raw(String(Number.MAX_SAFE_INTEGER))})
    ), found(id, class) AS MATERIALIZED (
      SELECT id, MIN(class) FROM (${selectInAll(wholeQuery, classes.whole)} UNION ALL ${selectInAll(prefixQuery, classes.begun)})
      GROUP BY id ORDER BY 2, 1 LIMIT ${sql.raw(String(maxSections))}
    ), hits(space, page, id, rank) AS MATERIALIZED (
      SELECT s.space, s.page, s.id,
        1000 * (f.class + CASE WHEN ${cutFrom} IS NOT NULL AND f.class >= ${minCutClass} THEN 100 * (instr(${text}, ${cutFrom}) = 0) ELSE 0 END)
        + MIN(999, CASE f.class % 10 WHEN 0 THEN length(s.title) WHEN 1 THEN length(s.heading) ELSE 0 END)
      FROM found f CROSS JOIN search_sections s ON s.id = f.id WHERE ${scope}
    )`;
}

/**
 * Decodes the offset into the ranking. The cursor has the offset instead of the rank, because ranks would reveal words
 * of other tenants.
 * @throws ApiError invalid
 */
export function decodeOffset(page: string | undefined): number {
  const [index = 0] = decodeCursor(page, ['index']) ?? [];
  if (Number(index) > maxSections) throw createCursorError();
  return Number(index);
}

/**
 * Maximum number of sections whose text is in one response (a response with more pages than that has one for each
 * page), and maximum number of sections per page.
 */
const maxReturnedSections = 100;
const maxSectionsPerPage = 5;
/** Maximum number of pages, or spaces, in one response. */
export const maxPageSize = maxReturnedSections;

/** The number of items for each of `count` parents, so that all have about `maxReturnedSections` in total. */
const toShare = (most: number, count: SQL): SQL =>
  sql`MAX(1, MIN(${sql.raw(`${most}, ${maxReturnedSections}`)} / CAST(${count} AS INTEGER)))`;

/**
 * The CTE `ranked(space, pages)`: the pages of the sections in the CTE `hits`, best first, in JSON. Each is an array of
 * its id, the rank of its best section, and the ids of its sections, best first.
 */
export const rankedCte = sql`ranked(space, pages) AS MATERIALIZED (
    SELECT space, json_group_array(json_array(page, best, json(sections)) ORDER BY best, first, page) FROM (
      SELECT space, page, MIN(rank) AS best, MIN(id) AS first, json_group_array(id ORDER BY rank, id) AS sections
      FROM hits GROUP BY space, page)
    GROUP BY space)`;

/**
 * A join on the pages of `ranked` that readers of the space find in its page tree. `p` is the page, and `shown` is its
 * title and path. A LIMIT stops the join early, so a long ranking stays cheap. `metConditions` are the conditions that
 * the reader meets, in JSON; null to ignore conditions.
 */
export const visiblePages = (pages: SQL, { space, lineage, metConditions }: Searched): SQL =>
  sql`json_each(${pages}) p CROSS JOIN json_each(${selectVisiblePage(sql`p.value->>0`, { space, lineage, metConditions })}) shown`;

/** Expressions: a space, its lineage, and the met conditions. */
interface Searched {
  space: SQL;
  lineage: SQL;
  metConditions?: SQL | undefined;
}

/** Expressions: whether a page is generated, and the id of its computed page, or its own id if it is not generated. */
const isGenerated = (page: SQL): SQL => sql`instr(${page}, '-') > 0`;
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

/** An expression: a JSON array with an array of a page's title and path; null if it is not in the tree. */
const selectVisiblePage = (page: SQL, { space, lineage, metConditions }: Searched): SQL => sql`(
  WITH RECURSIVE made(title, path) AS MATERIALIZED (${selectGeneratedPage(space, page)}), up(level, state) AS (
    SELECT 0, ${selectPageState(lineage, selectSourceId(page))}
    UNION ALL
    SELECT level + 1, ${selectPageState(lineage, sql`(up.state->>0)`)} FROM up
    WHERE state->>0 <> '' AND level <= ${sql.raw(String(maxPageDepth))}
  )
  SELECT json_array(json_array(COALESCE((SELECT title FROM made), MAX(CASE level WHEN 0 THEN state->>3 END)),
    group_concat(COALESCE(CASE level WHEN 0 THEN (SELECT path FROM made) END, state->>1), '/' ORDER BY level DESC)))
  FROM up HAVING COUNT(state) = COUNT(*) AND MAX(COALESCE(state->>2, 0)) = 0
    AND (NOT ${isGenerated(page)} OR EXISTS (SELECT 1 FROM made))
    ${metConditions === undefined ? sql`` : sql`AND MAX(${metConditions} IS NOT NULL AND state->>4 IS NOT NULL AND NOT ${isInList(sql`'=' || (state->>4)`, metConditions)}) = 0`})`;

const isInList = (condition: SQL, metConditions: SQL): SQL =>
  sql`(${condition}) IN (SELECT value FROM json_each(${metConditions}))`;

/** A condition: all conditions of `search_sections s` are met, or conditions are ignored. */
export const areConditionsMet = (metConditions: SQL): SQL => sql`(${metConditions} IS NULL OR s.conditions = ''
  OR NOT EXISTS (SELECT 1 FROM json_each(s.conditions) c WHERE NOT ${isInList(sql`c.value`, metConditions)}))`;

/** An expression: parent, slug, noIndex, title and condition of a page in a lineage, in JSON; null if it is deleted. */
const selectPageState = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT CASE WHEN v.deleted = 0 THEN json_array(v.parent, v.slug, v.data->>'$.fields.noIndex', v.data->>'$.fields.title', v.data->>'$.fields.condition') END
  FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

const s = aliasedTable(searchSections, 's');

/** A section in a response, with its page. */
export const hitRow = selection({
  ...{ space: fromQuery(s.space), page: fromQuery(s.page), title: fromQuery(String), path: fromQuery(String) },
  ...{ anchor: s.anchor, indexed: s.title, heading: s.heading, body: fromQuery(s.body) },
});
export type HitRow = RecordOf<typeof hitRow>;

const maxBody = sql.raw(String(maxPieceLength));

/**
 * The rows of a response: the best sections of the pages in the CTE `chosen(space, page, title, path, sections, spot,
 * place)`, ordered by `spot` and `path`; `count` is the number of pages in the response.
 */
export const selectShown = (count: SQL): SQL => sql`
  SELECT c.space, c.page, c.title, c.path, ${hitRow.with({ body: sql`substr(s.body, 1, ${maxBody})` })}
  FROM (SELECT *, ${count} AS shown FROM chosen) c
  CROSS JOIN json_each(c.sections) each CROSS JOIN search_sections s ON s.id = each.value
  WHERE each.key < ${toShare(maxSectionsPerPage, sql`c.shown`)} ORDER BY c.spot, c.place, each.key`;

const maxPagesPerSpace = 10;

interface PageOptions {
  limit: SQL<number>;
  offset: SQL<number>;
  /** See `visiblePages`. */
  metConditions?: SQL;
}

/**
 * Returns the query for the spaces and pages in a response, from the CTE `ranked`. `opened` has the spaces with a page
 * in the tree and the rank of their best page; `spots` has the spaces in the response, and one more.
 */
export const querySpaces = (ranked: SQL, { limit, offset, metConditions }: PageOptions) =>
  hitRow.query(sql`
    WITH ${ranked}, contents(space, pages, lineage) AS MATERIALIZED (
      SELECT space, pages, (SELECT r.lineage FROM revisions r WHERE r.branch = ranked.space ORDER BY r.seq DESC LIMIT 1) FROM ranked
    ), opened(space, pages, lineage, best) AS MATERIALIZED (
      SELECT space, pages, lineage,
        (SELECT p.value->>1 FROM ${visiblePages(sql`pages`, { space: sql`contents.space`, lineage: sql`lineage`, metConditions })} ORDER BY p.rowid LIMIT 1) FROM contents
    ), spots(space, pages, lineage, spot, shown) AS MATERIALIZED (
      SELECT space, pages, lineage, row_number() OVER (ORDER BY best, space), MIN(${limit}, COUNT(*) OVER () - ${offset})
      FROM opened WHERE best IS NOT NULL ORDER BY best, space LIMIT ${limit} + 1 OFFSET ${offset}
    ), chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
      SELECT s.space, c.value->>0, c.value->>1, c.value->>2, c.value->>3, s.spot, c.key
      FROM spots s CROSS JOIN json_each((
        SELECT json_group_array(page) FROM (
          SELECT json_array(p.value->>0, shown.value->>0, shown.value->>1, p.value->2) AS page
          FROM ${visiblePages(sql`s.pages`, { space: sql`s.space`, lineage: sql`s.lineage`, metConditions })} ORDER BY p.rowid LIMIT ${maxPagesPerSpace}))) c
      WHERE c.key < ${toShare(maxPagesPerSpace, sql`s.shown`)}
    )
    ${selectShown(sql`COUNT(*) OVER ()`)}`);

interface FoundInOrganization {
  /** The hits in visible spaces, as JSON like that of `rankedCte`. */
  ranked: string;
  /**
   * The input of a second search, which is restricted to visible spaces. Undefined if no hidden sections are in
   * `ranked`.
   */
  refined: string | undefined;
  /** The titles, by id, of the visible spaces that may have hits. */
  visible: Map<string, string>;
}

/** A space with its hits, if any. */
const probedRow = selection({
  space: { id: fromQuery(String), title: fromQuery(String), seen: fromQuery(Boolean) },
  pages: nullable(fromQuery(String)),
});

/**
 * Finds the ranked hits of an organization. Hidden sections must not displace visible ones: if the first hits include
 * hidden ones, a second search is restricted to visible spaces, or excludes the hidden ones, whichever list is shorter.
 */
export async function findInOrganization(
  db: Database,
  { organization, actor, role }: OrganizationSearch,
  expressions: SearchExpressions,
): Promise<FoundInOrganization> {
  const all = toScope(organization);
  const rows = await readRows(db, probeSpaces(toSearchInput(all, expressions), organization, actor, role));
  const [visibleRows, hidden] = [true, false].map((isVisible) => rows.filter(({ space }) => space.seen === isVisible));
  const visible = new Map(visibleRows?.map(({ space: { id, title } }) => [id, title]));
  const pagesBySpace = visibleRows?.flatMap(({ space: { id }, pages }) =>
    pages === null ? [] : [`["${id}",${pages}]`],
  );
  const ranked = `[${pagesBySpace?.join()}]`;
  if (hidden === undefined || hidden.length === 0 || visible.size === 0) return { ranked, refined: undefined, visible };
  const scope =
    hidden.length < visible.size
      ? `(${all} NOT ${joinScopes(hidden.map(({ space }) => space.id))})`
      : joinScopes([...visible.keys()]);
  return { ranked, refined: toSearchInput(scope, expressions), visible };
}

const probeSpaces = prepareStatement(
  (expression: SQL<string>, organization: SQL<OrganizationId>, user: SQL<UserId>, role: SQL<Role | null>) => {
    const rank = spaceRank({ user, role, active: sql`1` });
    const columns = probedRow.with({
      space: { id: sql`s.id`, title: sql`s.title`, seen: sql`s.deleted_at IS NULL AND COALESCE(${rank}, 0) > 0` },
    });
    return probedRow.query(sql`
      WITH ${hitsCtes(expression, sql`1`)}, ${rankedCte}, probed AS MATERIALIZED (
        SELECT ${columns}, r.pages FROM ranked r CROSS JOIN spaces s ON s.id = r.space AND s.organization = ${organization}
      )
      SELECT * FROM probed
      UNION ALL SELECT ${columns}, NULL FROM spaces s WHERE s.organization = ${organization}
        AND EXISTS (SELECT 1 FROM probed WHERE NOT space_seen) AND s.id NOT IN (SELECT space_id FROM probed)`);
  },
);

/** Limits on the site spaces that are searched, and on the conditions in them. */
const maxSiteSpaces = sql.raw('500');
const maxConditions = sql.raw('2000');

const [ss, sec, c] = [
  aliasedTable(siteSpaces, 'ss'),
  aliasedTable(siteSections, 'sec'),
  aliasedTable(searchConditions, 'c'),
];

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
const readSiteSpaces = prepareStatement((site: SQL<SiteId>, user: SQL<UserId | null>) => {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
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

const conditionRow = selection({ condition: c.condition, token: c.token });

const readConditions = prepareStatement((site: SQL<SiteId>) =>
  conditionRow.query(sql`
    SELECT DISTINCT ${conditionRow} FROM site_spaces ss CROSS JOIN search_conditions c ON c.space = ss.space
    WHERE ss.site = ${site} LIMIT ${maxConditions}`),
);

interface FoundInSite {
  /** The titles, by id, of the spaces to search. */
  titles: Map<string, string>;
  /** The conditions that the visitor meets; undefined if conditions are ignored. */
  met: string[] | undefined;
  /** The tokens of the conditions that the visitor does not meet. */
  unmet: string[];
}

/** Reads which spaces a site search covers, and which conditions exclude sections. One round trip. */
export async function findInSite(db: Database, { site, claims, user, scope }: SiteSearch): Promise<FoundInSite> {
  const { searched, conditions } = await runBatch(db, {
    searched: readSiteSpaces(site, user),
    conditions: claims === null ? [] : readConditions(site),
  });
  const visibleSpaces = searched.filter((each) => isVisible(each, claims));
  const titles = new Map(visibleSpaces.filter(isInScope(scope)).map(({ space, title }) => [space, title]));
  if (claims === null) return { titles, met: undefined, unmet: [] };
  const { met = [], unmet = [] } = Object.groupBy(conditions, ({ condition }) =>
    isTrue(condition, claims) ? 'met' : 'unmet',
  );
  return { titles, met: met.map(({ condition }) => condition), unmet: unmet.map(({ token }) => token) };
}

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
