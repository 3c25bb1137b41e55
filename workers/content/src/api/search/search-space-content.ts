import { paginate, readRows, statement } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { wordsOf } from '../../engine/search/sections.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { hitsCtes, placeOf, soughtIn } from './found-sql.ts';
import { expressionsOf, scopeOf } from './match-expression.ts';
import { maxPageSize, rankedCte, selectShown, shownRow, visiblePages } from './pages-sql.ts';
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
  const sought = soughtIn(scopeOf(space.id), expressions);
  const rows = await readRows(db, shownInSpace(sought, space.id, JSON.stringify(point.lineage), limit, place));
  const found = paginate(groupBy('page', rows), limit, {
    item: (page) => presentFound(page, { words, ...expressions, urls }),
    cursorOf: () => [place + limit],
  });
  return withoutEmpty(found, ({ sections }) => sections);
};

const shownInSpace = statement(
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
