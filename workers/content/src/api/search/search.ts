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
  const offset = decodeOffset(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const { ranked, refined: isRefinedAgain, visible } = await findInOrganization(db, search, expressions);
  const visibleHits =
    isRefinedAgain === undefined
      ? readRankedSpaces(ranked, limit, offset)
      : readRefinedSpaces(isRefinedAgain, JSON.stringify([...visible.keys()]), limit, offset);
  const rows = await readRows(db, visibleHits);
  const list = paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(visible.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [offset + limit],
  });
  return removeEmptyItems(list, ({ pages }) => pages);
}

const readRankedSpaces = prepareStatement((ranked: SQL<string>, limit: SQL<number>, offset: SQL<number>) =>
  querySpaces(sql`ranked(space, pages) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${ranked}))`, {
    limit,
    offset,
  }),
);

const readRefinedSpaces = prepareStatement(
  (expression: SQL<string>, visible: SQL<string>, limit: SQL<number>, offset: SQL<number>) =>
    querySpaces(sql`${hitsCtes(expression, sql`s.space IN (SELECT value FROM json_each(${visible}))`)}, ${rankedCte}`, {
      limit,
      offset,
    }),
);

/** Maximum number of conditions excluded one by one; with more, all conditional sections are excluded. */
const maxExcludedConditions = 500;

/** Returns the searched spaces of a site, ordered by their best hit, each with its best pages. */
export async function searchSite(
  search: SiteSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const offset = decodeOffset(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const { titles, met, unmet } = await findInSite(db, search);
  if (titles.size === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const spaces = [...titles.keys()];
  const scope = excludeTokens(joinScopes(spaces), unmet.length > maxExcludedConditions ? [conditionalMark] : unmet);
  const conditions = met === undefined ? null : JSON.stringify(met);
  const hits = searchSiteSections(toSearchInput(scope, expressions), JSON.stringify(spaces), conditions, limit, offset);
  const list = paginate(groupBy('space', await readRows(db, hits)), limit, {
    item: (space) => presentSpace(titles.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [offset + limit],
  });
  return removeEmptyItems(list, ({ pages }) => pages);
}

const searchSiteSections = prepareStatement(
  (
    expression: SQL<string>,
    spaces: SQL<string>,
    metConditions: SQL<string | null>,
    limit: SQL<number>,
    offset: SQL<number>,
  ) => {
    const searchScope = sql`s.space IN (SELECT value FROM json_each(${spaces})) AND ${areConditionsMet(metConditions)}`;
    return querySpaces(sql`${hitsCtes(expression, searchScope)}, ${rankedCte}`, {
      limit,
      offset,
      metConditions,
    });
  },
);

export const searchSpaceContent = handler('searchSpaceContent', async ({ query }, { db, space, point, urls }) => {
  const offset = decodeOffset(query.page);
  const limit = Math.min(query.limit, maxPageSize);
  const words = toWords(query.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = createExpressions(words);
  const expression = toSearchInput(toScope(space.id), expressions);
  const rows = await readRows(
    db,
    searchSpaceSections(expression, space.id, JSON.stringify(point.lineage), limit, offset),
  );
  const pages = paginate(groupBy('page', rows), limit, {
    item: (page) => presentPage(page, { words, ...expressions, urls }),
    getCursor: () => [offset + limit],
  });
  return removeEmptyItems(pages, ({ sections }) => sections);
});

const searchSpaceSections = prepareStatement(
  (expression: SQL<string>, space: SQL<SpaceId>, lineage: SQL<string>, limit: SQL<number>, offset: SQL<number>) =>
    hitRow.query(sql`
      WITH ${hitsCtes(expression, sql`s.space = ${space}`)}, ${rankedCte},
      chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
        SELECT ${space}, p.value->>0, shown.value->>0, shown.value->>1, p.value->>2, 0, p.rowid
        FROM ${visiblePages(sql`(SELECT pages FROM ranked)`, { space, lineage })}
        ORDER BY p.rowid LIMIT ${limit} + 1 OFFSET ${offset}
      )
      ${selectShown(sql`MIN(${limit}, COUNT(*) OVER ())`)}`),
);
