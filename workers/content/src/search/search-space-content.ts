import type { Row } from '@octavo/db';
import { paginate } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { foundCtes } from './found-sql.ts';
import { groupBy, presentFound } from './present-found.ts';
import { placeOf } from './search-place.ts';
import { matchExpression } from './words.ts';

export const searchSpaceContent: Handler<typeof content.searchSpaceContent, ContentEnvironment> = async (
  { query },
  { db, space, point, urls },
) => {
  const place = placeOf(query.page);
  const expression = matchExpression(query.query, space.id);
  if (expression === undefined || query.limit === 0) return { count: 0, items: [] };
  const lineage = JSON.stringify(point.lineage);
  const found = foundCtes({ expression, within: sql`s.space = ${space.id}`, lineageOf: () => sql`${lineage}` });
  const rows = await db.all<Row>(sql`
    WITH RECURSIVE ${found}, ranked(page, rank) AS MATERIALIZED (
      SELECT h.page, MIN(h.rank) FROM hits h CROSS JOIN pages p ON p.page = h.page
      GROUP BY h.page ORDER BY 2, 1 LIMIT ${query.limit + 1} OFFSET ${place}
    )
    SELECT p.space, r.page, p.title, p.path, h.anchor, h.heading, h.snippet
    FROM ranked r CROSS JOIN pages p ON p.page = r.page CROSS JOIN hits h ON h.page = r.page
    ORDER BY r.rank, r.page, h.rank`);
  return paginate(groupBy('page', rows), query.limit, {
    item: (page) => presentFound(page, urls),
    cursorOf: () => [place + query.limit],
  });
};
