import type { Database, Row } from '@octavo/db';
import { paginate, spaceRank, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, OrganizationSearch, SpaceSearchResult } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { candidatesCte, foundCtes, maxPageSize, selectShown, share } from './found-sql.ts';
import { expressionsOf, scopeOf } from './match-expression.ts';
import type { Found, Sought } from './present-found.ts';
import { groupBy, presentFound, withoutEmpty } from './present-found.ts';
import { placeOf } from './search-place.ts';
import { narrowedCtes } from './visible-scope.ts';
import { wordsOf } from './words.ts';

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
  const { organization, actor, role } = search;
  const expressions = expressionsOf(words);
  const rank = spaceRank({ user: sql`${actor}`, role: sql`${role}`, active: sql`1` });
  const rows = await db.all<Row>(sql`
    WITH RECURSIVE ${candidatesCte('probed', sql`${scopeOf(organization)}`, expressions)},
    ${narrowedCtes(organization, sql`(s.deleted_at IS NULL AND ${rank} > 0)`)},
    ${candidatesCte('found', sql`(SELECT expression FROM narrowed)`, expressions)},
    ${foundCtes({
      within: sql`s.space IN (SELECT id FROM visible)`,
      lineageOf: (space) =>
        sql`(SELECT r.lineage FROM revisions r WHERE r.branch = ${space} ORDER BY r.seq DESC LIMIT 1)`,
    })},
    reached(space, page, rank, id) AS MATERIALIZED (
      SELECT p.space, p.page, MIN(h.rank), MIN(h.id)
      FROM hits h CROSS JOIN pages p ON p.space = h.space AND p.page = h.page GROUP BY p.space, p.page
    ), spaces_found(space, place) AS MATERIALIZED (
      SELECT space, row_number() OVER (ORDER BY MIN(rank), MIN(id)) FROM reached GROUP BY space
      ORDER BY MIN(rank), MIN(id) LIMIT ${limit + 1} OFFSET ${place}
    ), chosen(space, name, page, place) AS MATERIALIZED (
      SELECT o.space, s.title, o.page, row_number() OVER (ORDER BY o.place, o.nth) FROM (
        SELECT f.space, f.place, r.page, row_number() OVER (PARTITION BY r.space ORDER BY r.rank, r.id) AS nth
        FROM spaces_found f CROSS JOIN reached r ON r.space = f.space) o CROSS JOIN spaces s ON s.id = o.space
      WHERE o.nth <= ${share(maxPagesPerSpace, sql`(SELECT COUNT(*) FROM spaces_found)`)}
    )
    ${selectShown}`);
  const found = paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(space, { words, isLoose: expressions.isLoose }, urls),
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(found, ({ pages }) => pages);
}

const presentSpace = (found: Found, sought: Sought, urls: Urls): SpaceSearchResult => ({
  id: text(found[0], 'space'),
  title: text(found[0], 'name'),
  pages: groupBy('page', found)
    .map((page) => presentFound(page, sought, urls))
    .filter(({ sections }) => sections?.length !== 0),
});
