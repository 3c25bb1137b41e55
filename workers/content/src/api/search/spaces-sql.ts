import type { SpaceSearchResult } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { selectShown, share, shownRow, visiblePages } from './pages-sql.ts';
import type { FoundSections, Sought } from './present-found.ts';
import { groupBy, presentFound } from './present-found.ts';

const maxPagesPerSpace = 10;

interface Shown {
  limit: SQL<number>;
  place: SQL<number>;
  /** As `visiblePages` takes it. */
  met?: SQL;
}

/**
 * What an answer shows of the CTE `ranked`: `opened` are the spaces with a page that is found in the tree, with the rank of the
 * best one, `spots` those that are shown and one more.
 */
export const shownSpaces = (ranked: SQL, { limit, place, met }: Shown) =>
  shownRow.query(sql`
    WITH ${ranked}, contents(space, pages, lineage) AS MATERIALIZED (
      SELECT space, pages, (SELECT r.lineage FROM revisions r WHERE r.branch = ranked.space ORDER BY r.seq DESC LIMIT 1) FROM ranked
    ), opened(space, pages, lineage, best) AS MATERIALIZED (
      SELECT space, pages, lineage,
        (SELECT p.value->>1 FROM ${visiblePages(sql`pages`, { space: sql`contents.space`, lineage: sql`lineage`, met })} ORDER BY p.rowid LIMIT 1) FROM contents
    ), spots(space, pages, lineage, spot, shown) AS MATERIALIZED (
      SELECT space, pages, lineage, row_number() OVER (ORDER BY best, space), MIN(${limit}, COUNT(*) OVER () - ${place})
      FROM opened WHERE best IS NOT NULL ORDER BY best, space LIMIT ${limit} + 1 OFFSET ${place}
    ), chosen(space, page, title, path, sections, spot, place) AS MATERIALIZED (
      SELECT s.space, c.value->>0, c.value->>1, c.value->>2, c.value->>3, s.spot, c.key
      FROM spots s CROSS JOIN json_each((
        SELECT json_group_array(page) FROM (
          SELECT json_array(p.value->>0, shown.value->>0, shown.value->>1, p.value->2) AS page
          FROM ${visiblePages(sql`s.pages`, { space: sql`s.space`, lineage: sql`s.lineage`, met })} ORDER BY p.rowid LIMIT ${maxPagesPerSpace}))) c
      WHERE c.key < ${share(maxPagesPerSpace, sql`s.shown`)}
    )
    ${selectShown(sql`COUNT(*) OVER ()`)}`);

export const presentSpace = (title: string, found: FoundSections, sought: Sought): SpaceSearchResult => ({
  id: found[0].space,
  title,
  pages: groupBy('page', found)
    .map((page) => presentFound(page, sought))
    .filter(({ sections }) => sections?.length !== 0),
});
