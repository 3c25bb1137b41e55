import type { Database } from '@octavo/db';
import { paginate, readRows } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, OrganizationSearch, SpaceSearchResult } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { wordsOf } from '../../engine/search/words.ts';
import { findInOrganization } from './find-in-organization.ts';
import { placeOf } from './found-sql.ts';
import { expressionsOf } from './match-expression.ts';
import { maxPageSize, pagesCtes, selectShown, share, shownRow } from './pages-sql.ts';
import type { FoundSections, Sought } from './present-found.ts';
import { groupBy, presentFound, withoutEmpty } from './present-found.ts';

const maxPagesPerSpace = 10;

/** The spaces that the member may see, in the order of their best hit, each with its best pages. */
export async function searchOrganization(
  db: Database,
  search: OrganizationSearch,
  urls: Urls,
): Promise<List<SpaceSearchResult>> {
  const place = placeOf(search.page);
  const limit = Math.min(search.limit, maxPageSize);
  const words = wordsOf(search.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = expressionsOf(words);
  const { found, visible } = await findInOrganization(db, search, expressions);
  const shown = shownRow.query(sql`
    WITH RECURSIVE ${found},
    ${pagesCtes({
      ...expressions,
      within: sql`s.space IN (SELECT value FROM json_each(${JSON.stringify([...visible.keys()])}))`,
      lineageOf: (space) =>
        sql`(SELECT r.lineage FROM revisions r WHERE r.branch = ${space} ORDER BY r.seq DESC LIMIT 1)`,
    })},
    ordered AS (
      SELECT *, dense_rank() OVER (ORDER BY top, space) AS spot FROM (
        SELECT *, MIN(best) OVER (PARTITION BY space) AS top,
          row_number() OVER (PARTITION BY space ORDER BY best, first, page) AS nth FROM pages)
    ), chosen(space, page, title, path, place, shown) AS MATERIALIZED (
      SELECT space, page, title, path, row_number() OVER (ORDER BY spot, nth), COUNT(*) OVER ()
      FROM (SELECT *, MIN(${limit}, MAX(spot) OVER () - ${place}) AS spaces FROM ordered)
      WHERE spot > ${place} AND spot <= ${place + limit + 1} AND nth <= ${share(maxPagesPerSpace, sql`spaces`)}
    )
    ${selectShown}`);
  const rows = await readRows(db, shown);
  const list = paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(visible.get(space[0].space) ?? '', space, { words, ...expressions, urls }),
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(list, ({ pages }) => pages);
}

const presentSpace = (title: string, found: FoundSections, sought: Sought): SpaceSearchResult => ({
  id: found[0].space,
  title,
  pages: groupBy('page', found)
    .map((page) => presentFound(page, sought))
    .filter(({ sections }) => sections?.length !== 0),
});
