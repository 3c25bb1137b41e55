import { paginate, prepareStatement, readRows } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { List, OrganizationSearch, SiteSearch, SpaceId, SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { conditionalMark, toWords } from '../../engine/search/sections.ts';
import { handler } from '../../handler.ts';
import { createExpressions, excludeTokens, joinScopes, toScope } from './match-expression.ts';
import { groupBy, presentPage, presentSpace, removeEmptyItems } from './presenter.ts';
import {
  areConditionsMet,
  decodeOffset,
  findInOrganization,
  findInSite,
  hitRow,
  hitsCtes,
  maxPageSize,
  querySpaces,
  rankedCte,
  selectShown,
  toSearchInput,
  visiblePages,
} from './queries.ts';

/** Returns the spaces that the member may see, ordered by their best hit, each with its best pages. */
export async function searchOrganization(
  search: OrganizationSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = decodeOffset(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const { ranked, refined: anew, visible } = await findInOrganization(db, search, expressions);
  const shown =
    anew === undefined
      ? readRankedSpaces(ranked, limit, place)
      : readRefinedSpaces(anew, JSON.stringify([...visible.keys()]), limit, place);
  const rows = await readRows(db, shown);
  const list = paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(visible.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return removeEmptyItems(list, ({ pages }) => pages);
}

const readRankedSpaces = prepareStatement((ranked: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  querySpaces(sql`ranked(space, pages) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${ranked}))`, {
    limit,
    place,
  }),
);

const readRefinedSpaces = prepareStatement(
  (sought: SQL<string>, visible: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
    querySpaces(sql`${hitsCtes(sought, sql`s.space IN (SELECT value FROM json_each(${visible}))`)}, ${rankedCte}`, {
      limit,
      place,
    }),
);

/** Maximum number of conditions excluded one by one; with more, all conditional sections are excluded. */
const maxExcludedConditions = 500;

/** Returns the searched spaces of a site, ordered by their best hit, each with its best pages. */
export async function searchSite(
  search: SiteSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = decodeOffset(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const { titles, met, unmet } = await findInSite(db, search);
  if (titles.size === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const spaces = [...titles.keys()];
  const scope = excludeTokens(joinScopes(spaces), unmet.length > maxExcludedConditions ? [conditionalMark] : unmet);
  const conditions = met === undefined ? null : JSON.stringify(met);
  const shown = searchSiteSections(toSearchInput(scope, expressions), JSON.stringify(spaces), conditions, limit, place);
  const list = paginate(groupBy('space', await readRows(db, shown)), limit, {
    item: (space) => presentSpace(titles.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return removeEmptyItems(list, ({ pages }) => pages);
}

const searchSiteSections = prepareStatement(
  (sought: SQL<string>, spaces: SQL<string>, met: SQL<string | null>, limit: SQL<number>, place: SQL<number>) => {
    const within = sql`s.space IN (SELECT value FROM json_each(${spaces})) AND ${areConditionsMet(met)}`;
    return querySpaces(sql`${hitsCtes(sought, within)}, ${rankedCte}`, { limit, place, met });
  },
);

export const searchSpaceContent = handler('searchSpaceContent', async ({ query }, { db, space, point, urls }) => {
  const place = decodeOffset(query.page);
  const limit = Math.min(query.limit, maxPageSize);
  const words = toWords(query.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const sought = toSearchInput(toScope(space.id), expressions);
  const rows = await readRows(db, searchSpaceSections(sought, space.id, JSON.stringify(point.lineage), limit, place));
  const found = paginate(groupBy('page', rows), limit, {
    item: (page) => presentPage(page, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return removeEmptyItems(found, ({ sections }) => sections);
});

const searchSpaceSections = prepareStatement(
  (sought: SQL<string>, space: SQL<SpaceId>, lineage: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
    hitRow.query(sql`
      WITH ${hitsCtes(sought, sql`s.space = ${space}`)}, ${rankedCte},
      chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
        SELECT ${space}, p.value->>0, shown.value->>0, shown.value->>1, p.value->>2, 0, p.rowid
        FROM ${visiblePages(sql`(SELECT pages FROM ranked)`, { space, lineage })}
        ORDER BY p.rowid LIMIT ${limit} + 1 OFFSET ${place}
      )
      ${selectShown(sql`MIN(${limit}, COUNT(*) OVER ())`)}`),
);
