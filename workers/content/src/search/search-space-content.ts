import type { Row } from '@octavo/db';
import { paginate } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { candidatesCte, foundCtes, maxPageSize, selectShown } from './found-sql.ts';
import { expressionsOf, scopeOf } from './match-expression.ts';
import { groupBy, presentFound, withoutEmpty } from './present-found.ts';
import { placeOf } from './search-place.ts';
import { wordsOf } from './words.ts';

export const searchSpaceContent: Handler<typeof content.searchSpaceContent, ContentEnvironment> = async (
  { query },
  { db, space, point, urls },
) => {
  const place = placeOf(query.page);
  const limit = Math.min(query.limit, maxPageSize);
  const words = wordsOf(query.query);
  if (words.length === 0 || limit === 0) return { count: 0, items: [] };
  const expressions = expressionsOf(words);
  const lineage = JSON.stringify(point.lineage);
  const rows = await db.all<Row>(sql`
    WITH RECURSIVE ${candidatesCte('found', sql`${scopeOf(space.id)}`, expressions)},
    ${foundCtes({ within: sql`s.space = ${space.id}`, lineageOf: () => sql`${lineage}` })},
    chosen(space, name, page, place) AS MATERIALIZED (
      SELECT p.space, '', p.page, row_number() OVER (ORDER BY MIN(h.rank), MIN(h.id))
      FROM hits h CROSS JOIN pages p ON p.page = h.page GROUP BY p.page
      ORDER BY MIN(h.rank), MIN(h.id) LIMIT ${limit + 1} OFFSET ${place}
    )
    ${selectShown}`);
  const found = paginate(groupBy('page', rows), limit, {
    item: (page) => presentFound(page, { words, isLoose: expressions.isLoose }, urls),
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(found, ({ sections }) => sections);
};
