import { paginate, readRows, statement } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { List, OrganizationSearch, SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { wordsOf } from '../../engine/search/sections.ts';
import { findInOrganization } from './find-in-organization.ts';
import { hitsCtes, placeOf } from './found-sql.ts';
import { expressionsOf } from './match-expression.ts';
import { maxPageSize, rankedCte } from './pages-sql.ts';
import { groupBy, withoutEmpty } from './present-found.ts';
import { presentSpace, shownSpaces } from './spaces-sql.ts';

/** The spaces that the member may see, in the order of their best hit, each with its best pages. */
export async function searchOrganization(
  search: OrganizationSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = placeOf(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = wordsOf(search.query);
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
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(list, ({ pages }) => pages);
}

const shownOfRanked = statement((ranked: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  shownSpaces(sql`ranked(space, pages) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${ranked}))`, {
    limit,
    place,
  }),
);

const shownAnew = statement((sought: SQL<string>, visible: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  shownSpaces(sql`${hitsCtes(sought, sql`s.space IN (SELECT value FROM json_each(${visible}))`)}, ${rankedCte}`, {
    limit,
    place,
  }),
);
