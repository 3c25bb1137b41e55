import { paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { wordsOf } from '../../engine/search/words.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { foundCte, placeOf } from './found-sql.ts';
import { expressionsOf, scopeOf } from './match-expression.ts';
import { maxPageSize, pagesCtes, selectShown, shownRow } from './pages-sql.ts';
import { groupBy, presentFound, withoutEmpty } from './present-found.ts';

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
  const shown = shownRow.query(sql`
    WITH RECURSIVE ${foundCte(scopeOf(space.id), expressions)},
    ${pagesCtes({ ...expressions, within: sql`s.space = ${space.id}`, lineageOf: () => sql`${lineage}` })},
    chosen(space, page, title, path, place, shown) AS MATERIALIZED (
      SELECT space, page, title, path, row_number() OVER (ORDER BY best, first, page),
        MIN(${limit}, COUNT(*) OVER () - ${place})
      FROM pages ORDER BY best, first, page LIMIT ${limit + 1} OFFSET ${place}
    )
    ${selectShown}`);
  const rows = await readRows(db, shown);
  const found = paginate(groupBy('page', rows), limit, {
    item: (page) => presentFound(page, { words, ...expressions, urls }),
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(found, ({ sections }) => sections);
};
