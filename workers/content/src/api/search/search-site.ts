import { paginate, readRows, statement } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { List, SiteSearch, SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { conditionalMark, wordsOf } from '../../engine/search/sections.ts';
import { findInSite } from './find-in-site.ts';
import { hitsCtes, placeOf, soughtIn } from './found-sql.ts';
import { anyOf, expressionsOf, without } from './match-expression.ts';
import { areMet, maxPageSize, rankedCte } from './pages-sql.ts';
import { groupBy, withoutEmpty } from './present-found.ts';
import { presentSpace, shownSpaces } from './spaces-sql.ts';

/** How many conditions an expression leaves out; beyond that it leaves out all that has any. */
const maxLeftOut = 500;

/** The spaces of a site that are searched, in the order of their best hit, each with its best pages. */
export async function searchSite(
  search: SiteSearch,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<List<SpaceSearchResult>> {
  const place = placeOf(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = wordsOf(search.query);
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
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(list, ({ pages }) => pages);
}

const shownInSite = statement(
  (sought: SQL<string>, spaces: SQL<string>, met: SQL<string | null>, limit: SQL<number>, place: SQL<number>) => {
    const within = sql`s.space IN (SELECT value FROM json_each(${spaces})) AND ${areMet(met)}`;
    return shownSpaces(sql`${hitsCtes(sought, within)}, ${rankedCte}`, { limit, place, met });
  },
);
