import { paginate, prepareStatement, readRows } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { List, OrganizationSearch, SiteSearch, SpaceId, SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { conditionalMark, toWords } from '../../engine/search/sections.ts';
import { handler } from '../../handler.ts';
import { anyOf, expressionsOf, scopeOf, without } from './match-expression.ts';
import { groupBy, presentFound, presentSpace, withoutEmpty } from './presenter.ts';
import {
  areMet,
  findInOrganization,
  findInSite,
  hitsCtes,
  maxPageSize,
  placeOf,
  rankedCte,
  selectShown,
  shownRow,
  shownSpaces,
  soughtIn,
  visiblePages,
} from './queries.ts';

/** The spaces that the member may see, in the order of their best hit, each with its best pages. */
export async function searchOrganization(
  search: OrganizationSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = placeOf(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = expressionsOf(words);
  const { ranked, anew, visible } = await findInOrganization(db, search, expressions);
  const shown =
    anew === undefined
      ? shownOfRanked(ranked, limit, place)
      : shownAnew(anew, JSON.stringify([...visible.keys()]), limit, place);
  const rows = await readRows(db, shown);
  const list = paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(visible.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return withoutEmpty(list, ({ pages }) => pages);
}

const shownOfRanked = prepareStatement((ranked: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  shownSpaces(sql`ranked(space, pages) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${ranked}))`, {
    limit,
    place,
  }),
);

const shownAnew = prepareStatement(
  (sought: SQL<string>, visible: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
    shownSpaces(sql`${hitsCtes(sought, sql`s.space IN (SELECT value FROM json_each(${visible}))`)}, ${rankedCte}`, {
      limit,
      place,
    }),
);

/** How many conditions an expression leaves out; beyond that it leaves out all that has any. */
const maxLeftOut = 500;

/** The spaces of a site that are searched, in the order of their best hit, each with its best pages. */
export async function searchSite(
  search: SiteSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = placeOf(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = toWords(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const { titles, met, unmet } = await findInSite(db, search);
  if (titles.size === 0) return { count: 0, items: [] };
  const expressions = expressionsOf(words);
  const spaces = [...titles.keys()];
  const scope = without(anyOf(spaces), unmet.length > maxLeftOut ? [conditionalMark] : unmet);
  const conditions = met === undefined ? null : JSON.stringify(met);
  const shown = shownInSite(soughtIn(scope, expressions), JSON.stringify(spaces), conditions, limit, place);
  const list = paginate(groupBy('space', await readRows(db, shown)), limit, {
    item: (space) => presentSpace(titles.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return withoutEmpty(list, ({ pages }) => pages);
}

const shownInSite = prepareStatement(
  (sought: SQL<string>, spaces: SQL<string>, met: SQL<string | null>, limit: SQL<number>, place: SQL<number>) => {
    const within = sql`s.space IN (SELECT value FROM json_each(${spaces})) AND ${areMet(met)}`;
    return shownSpaces(sql`${hitsCtes(sought, within)}, ${rankedCte}`, { limit, place, met });
  },
);

export const searchSpaceContent = handler('searchSpaceContent', async ({ query }, { db, space, point, urls }) => {
  const place = placeOf(query.page);
  const limit = Math.min(query.limit, maxPageSize);
  const words = toWords(query.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = expressionsOf(words);
  const sought = soughtIn(scopeOf(space.id), expressions);
  const rows = await readRows(db, shownInSpace(sought, space.id, JSON.stringify(point.lineage), limit, place));
  const found = paginate(groupBy('page', rows), limit, {
    item: (page) => presentFound(page, { words, ...expressions, urls }),
    getCursor: () => [place + limit],
  });
  return withoutEmpty(found, ({ sections }) => sections);
});

const shownInSpace = prepareStatement(
  (sought: SQL<string>, space: SQL<SpaceId>, lineage: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
    shownRow.query(sql`
      WITH ${hitsCtes(sought, sql`s.space = ${space}`)}, ${rankedCte},
      chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
        SELECT ${space}, p.value->>0, shown.value->>0, shown.value->>1, p.value->>2, 0, p.rowid
        FROM ${visiblePages(sql`(SELECT pages FROM ranked)`, { space, lineage })}
        ORDER BY p.rowid LIMIT ${limit} + 1 OFFSET ${place}
      )
      ${selectShown(sql`MIN(${limit}, COUNT(*) OVER ())`)}`),
);
