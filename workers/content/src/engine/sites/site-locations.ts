import type { Database, Query, ReadPoint, RecordOf, RowsOf, SiteRecord, SpaceLocation } from '@octavo/db';
import {
  computed,
  fromJson,
  fromQuery,
  isActive,
  locationsInSite,
  nullable,
  parseLocations,
  prepareStatement,
  runBatch,
  selectBranchLineage,
  selection,
  selectSpaceRank,
  siteById,
  toLineageValue,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { findShareKey } from '@octavo/runtime';
import type { Claims, PageMetaLinks, SiteId, SpaceId, UserId, Visitor } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { findGeneratedPage, isLink } from '../computed/computed-pages.ts';
import { getSourceId, isGeneratedId, type PageKey, readGeneratedPage } from '../computed/sources.ts';
import { createSpaceScope, isPageShown } from '../reading/visibility.ts';
import {
  createLineageCte,
  isNearest,
  pageStateIndex,
  readAllNodes,
  selectFirstPageId,
  selectPageIdAtPath,
  selectPageState,
} from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';

/** The visitor and the site for which locations are read. */
export interface SiteReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  visitor: Visitor;
}

/** The location of a page or space in the site. */
export interface SpaceSiteLocation {
  ordinal: number;
  space: SpaceId;
  /** The id of the page; undefined if a space was looked up. */
  page: string | undefined;
  address: string;
  /** All locations of the space in the site that are visible to the visitor. */
  places: SpaceLocation[];
}

interface LocationOptions {
  /** Whether a page was looked up under an ordinal, rather than a space. */
  isOfPage: (ordinal: number) => boolean;
  generatedIds?: ReadonlyMap<number, string>;
}

/** Finds locations that the visitor may see: one round trip, and one more for generated pages. */
export const findLocations = async (
  reading: SiteReading,
  { locationQuery, ...seeking }: LocationOptions & { locationQuery: Query<LocationRow> },
): Promise<SpaceSiteLocation[]> =>
  toVisibleLocations(reading, await runBatch(reading.db, readLocations(reading.visitor, locationQuery)), seeking);

/** Returns the queries that find locations, for a batch. */
export const readLocations = ({ site }: Pick<Visitor, 'site'>, locationQuery: Query<LocationRow>) => ({
  sites: siteById(site),
  rows: locationQuery,
});

export type LocationRows = RowsOf<ReturnType<typeof readLocations>>;

/** Returns the visible locations of rows. One round trip if there are generated pages. */
async function toVisibleLocations(
  reading: SiteReading,
  { sites: [site], rows }: LocationRows,
  { isOfPage, generatedIds = new Map() }: LocationOptions,
): Promise<SpaceSiteLocation[]> {
  const { db, visitor } = reading;
  if (site === undefined) return [];
  const visibleRows = rows.flatMap((row) => {
    const locations = row.places.filter(createLocationFilter(visitor.claims));
    return locations.length === 0 ? [] : [{ ...row, places: locations }];
  });
  const generatedPages = await findVisibleGeneratedPages(db, {
    rows: visibleRows,
    generatedIds,
    claims: visitor.claims,
  });
  const addressOf = await createAddressBuilder(site, reading);
  return visibleRows.flatMap((row) => {
    const { ordinal, space, places } = row;
    const [location] = places;
    const page = generatedPages.get(ordinal) ?? getVisiblePage(row, visitor.claims);
    if (location === undefined || (page === undefined && isOfPage(ordinal))) return [];
    return [{ ordinal, space, page: page?.page, places, address: addressOf(location, page?.path) }];
  });
}

const createLocationFilter =
  (claims: Claims) =>
  ({ conditions }: SpaceLocation): boolean =>
    conditions.every((condition) => isShownTo(condition, claims));

/** Returns the page with its path, if its own conditions and those of its ancestors hold. */
function getVisiblePage(
  { page, chain, variables }: LocationRow,
  claims: Claims,
): { page: string; path: string } | undefined {
  const states = chain?.filter((state) => state !== null) ?? [];
  const type = states[0]?.[2];
  if (page === null || states.length !== chain?.length || (type !== 'document' && type !== 'group')) return undefined;
  const scope = { ...createSpaceScope([], claims), space: { vars: variables ?? {} } };
  const isShown = states.every(([, , , condition, vars]) => isPageShown({ condition, variables: vars }, scope));
  const path = states.map(([, slug]) => slug).reverse();
  return isShown ? { page, path: path.join('/') } : undefined;
}

async function createAddressBuilder(site: SiteRecord, { urls, env, visitor }: SiteReading) {
  const shareKey = await findShareKey(env, visitor);
  return ({ section, siteSpace }: SpaceLocation, page?: string): string =>
    urls.published(site, { shareKey, section: section ?? undefined, siteSpace, page });
}

interface AlternatesOptions {
  visitor: Pick<Visitor, 'site' | 'user'>;
  point: ReadPoint;
  space: SpaceId;
}

/** Returns the queries that find a page in sibling spaces, for a batch. */
export function readAlternates({ value, length }: PageKey, { visitor, point, space }: AlternatesOptions) {
  const { ofFirstPage, byId, byPath } = siblingLocations;
  const select = value === '' ? ofFirstPage : length === 0 ? byId : byPath;
  return readLocations(
    visitor,
    select(visitor.site, visitor.user ?? null, space, toLineageValue(point), value, length),
  );
}

interface AlternatesReading extends SiteReading {
  /** Adds a part to the ETag, because alternates change without a new revision of this space. */
  addToEtag: (part: string | undefined) => void;
}

/**
 * Returns the alternates of a page in sibling spaces, such as languages and versions. A page is found by its id, which
 * a copy of a space keeps, else by its path. Only visible pages count, in a section that also shows the page's own
 * space. One round trip if the page is a generated page, otherwise none.
 */
export async function toAlternates(
  page: string,
  rows: LocationRows,
  reading: AlternatesReading,
): Promise<PageMetaLinks['alternates']> {
  const generatedIds = isGeneratedId(page)
    ? new Map(Array.from({ length: maxSiblingSpaces }, (_, index) => [index + 1, page]))
    : undefined;
  const isOfPage = (ordinal: number) => ordinal > 0;
  const [ownLocation, ...others] = await toVisibleLocations(reading, rows, {
    isOfPage,
    ...(generatedIds && { generatedIds }),
  });
  const sections = new Set(ownLocation?.ordinal === 0 ? ownLocation.places.map(({ section }) => section?.id) : []);
  const siblings = others.filter(({ places }) => places.some(({ section }) => sections.has(section?.id)));
  const alternates = [...new Map(siblings.map((location) => [location.space, location])).values()].map(
    ({ space, page: pageId = '', address }) => ({ kind: 'page' as const, page: pageId, space, href: address }),
  );
  reading.addToEtag(JSON.stringify(alternates));
  return alternates;
}

/** Maximum number of computed pages whose generated pages are looked up; links beyond it are broken. */
const maxSources = 10;

interface GeneratedPageSearch {
  rows: LocationRow[];
  /** The generated page ids to look up, by row ordinal. */
  generatedIds: ReadonlyMap<number, string>;
  claims: Claims;
}

/** Finds visible generated pages with their paths, by ordinal. One round trip, none if there are no lookups. */
async function findVisibleGeneratedPages(db: Database, { rows, generatedIds, claims }: GeneratedPageSearch) {
  const requests = rows.flatMap((row) => {
    const id = generatedIds.get(row.ordinal);
    return id === undefined || row.page !== null ? [] : [{ ...row, id }];
  });
  const groups = [...Map.groupBy(requests, ({ space, id }) => `${space} ${getSourceId(id)}`).values()].slice(
    0,
    maxSources,
  );
  const reads = groups.map(([first]) => {
    const { lineage = '[]', id: key = '', space = '' } = first ?? {};
    const { made } = readGeneratedPage({ value: key, length: 0 }, { lineage, space }, true);
    return { made, variables: readAllNodes(lineage, 'variable') };
  });
  const pagesByOrdinal = new Map<number, { page: string; path: string }>();
  if (groups.length === 0) return pagesByOrdinal;
  const results = Object.values(await runBatch(db, Object.fromEntries(reads.entries())));
  for (const [index, result] of results.entries()) {
    const scope = createSpaceScope(toNodes(result.variables), claims);
    for (const { ordinal, id } of groups[index] ?? []) {
      const generatedPage = findGeneratedPage(result.made, id, 0);
      const chain = generatedPage === undefined ? [] : [generatedPage.page, ...generatedPage.ancestors];
      if (
        !chain.every((node) => isPageShown(getPageFields(node), scope)) ||
        generatedPage === undefined ||
        isLink(generatedPage.page)
      )
        continue;
      const path = chain.map(({ slug }) => slug).reverse();
      pagesByOrdinal.set(ordinal, { page: id, path: path.join('/') });
    }
  }
  return pagesByOrdinal;
}

/** Returns the ids of generated pages by their index. */
export const getGeneratedIds = (ids: (string | undefined)[]): Map<number, string> =>
  new Map(ids.flatMap((id, ordinal) => (id !== undefined && isGeneratedId(id) ? [[ordinal, id] as const] : [])));

type Vars = Record<string, string | number | boolean>;

/** The state of a page or an ancestor; null if it no longer exists. */
type PageState = [parent: string, slug: string, type: string, condition: string | null, variables: Vars | null] | null;

/** A page in the live content of a space of a site, with the data that decides whether it is visible. */
const locationRow = selection({
  ordinal: fromQuery(Number),
  space: fromQuery((id: string) => id as SpaceId),
  lineage: fromQuery(String),
  /** The id of the page; null if a space was looked up, or if the page does not exist. */
  page: nullable(fromQuery(String)),
  places: computed(parseLocations, sql`places`),
  /** The page and its ancestors, starting with itself. */
  chain: nullable(fromQuery(fromJson<PageState[]>())),
  /** The variables of the space, if conditions of the chain may name them. */
  variables: nullable(fromQuery(fromJson<Vars>())),
});
type LocationRow = RecordOf<typeof locationRow>;

const maxLevels = sql.raw(String(maxPageDepth));

/** Returns an SQL expression for the state of a page, which is read through a lineage in JSON. */
const selectNodeState = (lineage: SQL, id: SQL): SQL =>
  sql`(WITH ${createLineageCte(lineage)} SELECT ${selectPageState(id)})`;

const selectVariables = (lineage: SQL): SQL => sql`(
  WITH ${createLineageCte(lineage)} SELECT json_group_object(v.id, json(v.data->'$.fields.value')) FROM lineage l
  CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'variable' AND v.until > l.seq AND v.since <= l.seq
  WHERE v.deleted = 0 AND ${isNearest})`;

/** The CTE `homes`: the spaces that the site shows. For a member or a preview, only spaces that the user may see. */
const createShownSpacesCte = (site: SQL<SiteId>, user: SQL<UserId | null>): SQL => {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`homes(space, lineage, places) AS MATERIALIZED (
    SELECT s.id, ${selectBranchLineage(sql`s.id`)}, ${locationsInSite}
    FROM (SELECT DISTINCT space FROM wanted) w CROSS JOIN sites st ON st.id = ${site}
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = w.space AND s.organization = st.organization AND s.deleted_at IS NULL AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    WHERE EXISTS (SELECT 1 FROM site_spaces x INDEXED BY site_spaces_by_space WHERE x.space = s.id AND x.site = st.id)
      AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0))`;
};

/**
 * Looks up pages of spaces that a site shows; rows read are proportional to `targets`, a SELECT of (ordinal, space,
 * page, slugs). It finds a page by id, else by path (a JSON array of slugs). Without id and path, it finds the space
 * itself.
 */
const queryLocations = (targets: SQL, { site, user }: { site: SQL<SiteId>; user: SQL<UserId | null> }) => {
  const parentOfRow = sql`(u.state->>${pageStateIndex.parent})`;
  const byPath = selectPageIdAtPath(sql`h.lineage`, sql<string>`w.slugs`, sql<number>`json_array_length(w.slugs)`);
  const columns = locationRow.with({
    ordinal: sql`w.ordinal`,
    space: sql`h.space`,
    lineage: sql`h.lineage`,
    page: sql`b.id`,
    chain: sql`c.chain`,
    variables: sql`CASE WHEN c.conditions LIKE '%space%' THEN k.variables END`,
  });
  return locationRow.query(sql`
    WITH RECURSIVE wanted(ordinal, space, page, slugs) AS MATERIALIZED (${targets}), ${createShownSpacesCte(site, user)},
    begun(ordinal, lineage, id) AS MATERIALIZED (
      SELECT w.ordinal, h.lineage, COALESCE(CASE WHEN ${selectNodeState(sql`h.lineage`, sql`w.page`)} IS NOT NULL THEN w.page END, ${byPath})
      FROM wanted w CROSS JOIN homes h ON h.space = w.space WHERE w.page IS NOT NULL OR w.slugs IS NOT NULL
    ), up(ordinal, place, lineage, state) AS (
      SELECT b.ordinal, 0, b.lineage, ${selectNodeState(sql`b.lineage`, sql`b.id`)} FROM begun b WHERE b.id IS NOT NULL
      UNION ALL
      SELECT u.ordinal, u.place + 1, u.lineage, ${selectNodeState(sql`u.lineage`, parentOfRow)} FROM up u
      WHERE ${parentOfRow} <> '' AND u.place <= ${maxLevels}
    ), chains(ordinal, chain, conditions) AS MATERIALIZED (
      SELECT ordinal, json_group_array(json(state) ORDER BY place), group_concat(state->>${pageStateIndex.condition}) FROM up GROUP BY ordinal
    ), scopes(space, variables) AS MATERIALIZED (
      SELECT h.space, ${selectVariables(sql`h.lineage`)} FROM homes h WHERE h.space IN (
        SELECT w.space FROM chains c CROSS JOIN wanted w ON w.ordinal = c.ordinal WHERE c.conditions LIKE '%space%')
    )
    SELECT ${columns} FROM wanted w CROSS JOIN homes h ON h.space = w.space
    LEFT JOIN begun b ON b.ordinal = w.ordinal LEFT JOIN chains c ON c.ordinal = w.ordinal
    LEFT JOIN scopes k ON k.space = w.space ORDER BY w.ordinal`);
};

/** Finds pages given as a JSON list of [space, page, slugs]; page and slugs may be null. */
export const readNamedLocations = prepareStatement((site: SQL<SiteId>, user: SQL<UserId | null>, names: SQL<string>) =>
  queryLocations(sql`SELECT key, value->>0, value->>1, value->>2 FROM json_each(${names})`, { site, user }),
);

/** Returns an SQL expression for the slugs of the path of a page, as a JSON array. */
const selectPathSlugs = (lineage: SQL<string>, page: SQL<string>): SQL => sql`(
  WITH RECURSIVE ${createLineageCte(lineage)}, rise(level, state) AS (
    SELECT 0, ${selectPageState(page)}
    UNION ALL
    SELECT level + 1, ${selectPageState(sql`(rise.state->>${pageStateIndex.parent})`)} FROM rise
    WHERE rise.state->>${pageStateIndex.parent} <> '' AND level <= ${maxLevels})
  SELECT json_group_array(state->>${pageStateIndex.slug} ORDER BY level DESC) FROM rise)`;

/** Maximum number of other site spaces in the same sections that are searched for a page. */
const maxSiblingSpaces = 30;

/**
 * Prepares the statement that finds the space itself, and a page in the other spaces of the same sections. If the site
 * has no sections, it searches all of its spaces.
 */
const prepareSiblingLocations = (
  selectPage: (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL<string>,
) =>
  prepareStatement(
    (
      site: SQL<SiteId>,
      user: SQL<UserId | null>,
      space: SQL<SpaceId>,
      lineage: SQL<string>,
      key: SQL<string>,
      length: SQL<number>,
    ) => {
      const page = selectPage(lineage, key, length);
      return queryLocations(
        sql`SELECT 0, ${space}, NULL, NULL UNION ALL SELECT ordinal, space, ${page}, ${selectPathSlugs(lineage, page)} FROM (
        SELECT row_number() OVER (ORDER BY sec.position, beside.position, beside.id) AS ordinal, beside.space FROM (
          SELECT DISTINCT own.section FROM site_spaces own INDEXED BY site_spaces_by_space
          WHERE own.space = ${space} AND own.site = ${site}) here
        CROSS JOIN site_spaces beside INDEXED BY site_spaces_by_place ON beside.site = ${site} AND beside.section = here.section
        LEFT JOIN site_sections sec ON sec.id = beside.section
        WHERE beside.space <> ${space} ORDER BY ordinal LIMIT ${sql.raw(String(maxSiblingSpaces))})`,
        { site, user },
      );
    },
  );

export const siblingLocations = {
  byId: prepareSiblingLocations((_, id) => id),
  byPath: prepareSiblingLocations(selectPageIdAtPath),
  ofFirstPage: prepareSiblingLocations(selectFirstPageId),
};
