import type { Database } from '@octavo/db';
import { paginate, readRows, statement } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, OrganizationSearch, SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { wordsOf } from '../../engine/search/words.ts';
import { findInOrganization } from './find-in-organization.ts';
import { hitsCtes, placeOf } from './found-sql.ts';
import { expressionsOf } from './match-expression.ts';
import { maxPageSize, rankedCte, selectShown, share, shownRow, visiblePages } from './pages-sql.ts';
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

/**
 * What an answer shows of the CTE `ranked`: `opened` are the spaces with a page that is found in the tree, with the rank of the
 * best one, `spots` those that are shown and one more.
 */
const shownOf = (ranked: SQL, limit: SQL<number>, place: SQL<number>) =>
  shownRow.query(sql`
    WITH ${ranked}, contents(space, pages, lineage) AS MATERIALIZED (
      SELECT space, pages, (SELECT r.lineage FROM revisions r WHERE r.branch = ranked.space ORDER BY r.seq DESC LIMIT 1) FROM ranked
    ), opened(space, pages, lineage, best) AS MATERIALIZED (
      SELECT space, pages, lineage,
        (SELECT p.value->>1 FROM ${visiblePages(sql`pages`, sql`lineage`)} ORDER BY p.rowid LIMIT 1) FROM contents
    ), spots(space, pages, lineage, spot, shown) AS MATERIALIZED (
      SELECT space, pages, lineage, row_number() OVER (ORDER BY best, space), MIN(${limit}, COUNT(*) OVER () - ${place})
      FROM opened WHERE best IS NOT NULL ORDER BY best, space LIMIT ${limit} + 1 OFFSET ${place}
    ), chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
      SELECT s.space, c.value->>0, c.value->>1, c.value->>2, c.value->>3, s.spot, c.key
      FROM spots s CROSS JOIN json_each((
        SELECT json_group_array(page) FROM (
          SELECT json_array(p.value->>0, shown.value->>0, shown.value->>1, p.value->2) AS page
          FROM ${visiblePages(sql`s.pages`, sql`s.lineage`)} ORDER BY p.rowid LIMIT ${maxPagesPerSpace}))) c
      WHERE c.key < ${share(maxPagesPerSpace, sql`s.shown`)}
    )
    ${selectShown(sql`COUNT(*) OVER ()`)}`);

const shownOfRanked = statement((ranked: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  shownOf(
    sql`ranked(space, pages) AS MATERIALIZED (SELECT value->>0, value->>1 FROM json_each(${ranked}))`,
    limit,
    place,
  ),
);

const shownAnew = statement((sought: SQL<string>, visible: SQL<string>, limit: SQL<number>, place: SQL<number>) =>
  shownOf(
    sql`${hitsCtes(sought, sql`s.space IN (SELECT value FROM json_each(${visible}))`)}, ${rankedCte}`,
    limit,
    place,
  ),
);

const presentSpace = (title: string, found: FoundSections, sought: Sought): SpaceSearchResult => ({
  id: found[0].space,
  title,
  pages: groupBy('page', found)
    .map((page) => presentFound(page, sought))
    .filter(({ sections }) => sections?.length !== 0),
});
