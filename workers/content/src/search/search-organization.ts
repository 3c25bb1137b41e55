import type { Database, Row } from '@octavo/db';
import { paginate, spaceRank, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, OrganizationSearch, SpaceSearchResult } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { foundCtes } from './found-sql.ts';
import type { Found } from './present-found.ts';
import { groupBy, presentFound } from './present-found.ts';
import { placeOf } from './search-place.ts';
import { matchExpression } from './words.ts';

const maxPagesPerSpace = 10;

/** The spaces that the member may see, in the order of their best hit, each with its best pages. */
export async function searchOrganization(
  db: Database,
  search: OrganizationSearch,
  urls: Urls,
): Promise<List<SpaceSearchResult>> {
  const { organization, limit } = search;
  const place = placeOf(search.page);
  const expression = matchExpression(search.query, organization);
  if (expression === undefined || limit === 0) return { count: 0, items: [] };
  const rank = spaceRank({ user: sql`${search.actor}`, role: sql`${search.role}`, active: sql`1` });
  // What is hidden from the member is left out before anything is ranked: it must not take the place of what is not.
  const found = foundCtes({
    expression,
    within: sql`s.space IN (SELECT id FROM visible)`,
    lineageOf: (space) =>
      sql`(SELECT r.lineage FROM revisions r WHERE r.branch = ${space} ORDER BY r.seq DESC LIMIT 1)`,
  });
  const rows = await db.all<Row>(sql`
    WITH RECURSIVE searched(id) AS MATERIALIZED (
      SELECT DISTINCT f.space FROM search_index CROSS JOIN search_sections f ON f.id = search_index.rowid
      WHERE search_index MATCH ${expression}
    ), visible(id, name) AS MATERIALIZED (
      SELECT s.id, s.title FROM searched CROSS JOIN spaces s ON s.id = searched.id
      WHERE s.organization = ${organization} AND s.deleted_at IS NULL AND ${rank} > 0
    ), ${found}, ranked(space, rank) AS MATERIALIZED (
      SELECT h.space, MIN(h.rank) FROM hits h CROSS JOIN pages p ON p.space = h.space AND p.page = h.page
      GROUP BY h.space ORDER BY 2, 1 LIMIT ${limit + 1} OFFSET ${place}
    )
    SELECT r.space, v.name, h.page, p.title, p.path, h.anchor, h.heading, h.snippet
    FROM ranked r CROSS JOIN visible v ON v.id = r.space CROSS JOIN hits h ON h.space = r.space
      CROSS JOIN pages p ON p.space = h.space AND p.page = h.page
    ORDER BY r.rank, r.space, h.rank, h.page, h.id`);
  return paginate(groupBy('space', rows), limit, {
    item: (space) => presentSpace(space, urls),
    cursorOf: () => [place + limit],
  });
}

const presentSpace = (found: Found, urls: Urls): SpaceSearchResult => ({
  id: text(found[0], 'space'),
  title: text(found[0], 'name'),
  pages: groupBy('page', found)
    .slice(0, maxPagesPerSpace)
    .map((page) => presentFound(page, urls)),
});
