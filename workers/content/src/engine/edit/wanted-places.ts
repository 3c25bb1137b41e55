import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { pageColumnAt, selectIds } from '../store/lineage.ts';
import type { WantedContent } from './wanted-content.ts';

export interface ContentSource {
  space: SpaceId;
  /** An expression: the lineage that the changes start from. */
  lineage: SQL;
  /** An expression: the lineage that a revert without a revision goes back to; null on main. */
  baseLineage: SQL;
}

/** Whether a batch wants anything of these. */
export const isAny = (...lists: unknown[][]): boolean => lists.some(({ length }) => length > 0);

/** The pages that some change puts below another parent than they have. */
export function shiftedPages(source: ContentSource, wanted: WantedContent): SQL {
  const presently = (id: SQL) => pageColumnAt(source.lineage, 'parent', id);
  return union(
    sql`SELECT value->>'page' AS id FROM json_each(${JSON.stringify(wanted.moved)})
      WHERE ${presently(sql`value->>'page'`)} IS NOT value->>'parent'`,
    fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT id FROM (${reverted}) r WHERE deleted = 0 AND ${presently(sql`r.id`)} IS NOT r.parent`,
    ),
  );
}

/** The pages that are deleted, by name or because a revert goes back to where they were not. */
export const gonePages = (source: ContentSource, wanted: WantedContent): SQL =>
  union(
    selectIds(wanted.deleted),
    fromReverts(source, wanted, (reverted) => sql`SELECT page FROM (${reverted}) WHERE id IS NULL OR deleted = 1`),
  );

/** What is moved below a page goes with it when that is deleted. */
export function goingPages(source: ContentSource, wanted: WantedContent): SQL {
  const gone = gonePages(source, wanted);
  return union(gone, [sql`SELECT id FROM (${shiftedPages(source, wanted)}) WHERE EXISTS (${gone})`]);
}

export const placesAbove = (source: ContentSource, wanted: WantedContent): SQL =>
  union(selectIds(wanted.parents), [
    ...fromReverts(source, wanted, (reverted) => sql`SELECT parent FROM (${reverted})`),
    sql`SELECT id FROM (${shiftedPages(source, wanted)})`,
  ]);

export function slugPlaces(source: ContentSource, wanted: WantedContent): SQL {
  const { slugs, renamed, moved } = wanted;
  const presently = (column: 'parent' | 'slug') => pageColumnAt(source.lineage, column, sql`value->>'page'`);
  const afterRevert = JSON.stringify([{}, ...renamed, ...moved]);
  // D1 takes at most five SELECTs in one UNION.
  return union(sql`SELECT value->>'parent', value->>'slug' FROM json_each(${JSON.stringify(slugs)})`, [
    ...fromRows(renamed, (rows) => sql`SELECT ${presently('parent')}, value->>'slug' FROM json_each(${rows})`),
    ...fromRows(moved, (rows) => sql`SELECT value->>'parent', ${presently('slug')} FROM json_each(${rows})`),
    ...fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT COALESCE(j.value->>'parent', r.parent), COALESCE(j.value->>'slug', r.slug)
      FROM (${reverted}) r JOIN json_each(${afterRevert}) j ON COALESCE(j.value->>'page', r.id) = r.id`,
    ),
  ]);
}

export function orderedParents(source: ContentSource, wanted: WantedContent): SQL {
  const pages = JSON.stringify(wanted.ordered.pages);
  return union(selectIds(wanted.ordered.parents), [
    sql`SELECT ${pageColumnAt(source.lineage, 'parent', sql`value`)} FROM json_each(${pages})`,
    ...fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT parent FROM (${reverted}) WHERE id IN (SELECT value FROM json_each(${pages}))`,
    ),
  ]);
}

const union = (first: SQL, others: SQL[]): SQL => sql.join([first, ...others], sql` UNION `);

/** A SELECT from what the batch has of a kind, where it has any. */
const fromRows = (rows: unknown[], select: (json: string) => SQL): SQL[] =>
  isAny(rows) ? [select(JSON.stringify(rows))] : [];

/** A SELECT from the states that reverts go back to, where there are reverts: most batches have none. */
const fromReverts = (source: ContentSource, wanted: WantedContent, select: (reverted: SQL) => SQL): SQL[] =>
  isAny(wanted.reverts) ? [select(revertedStates(source, wanted))] : [];

/**
 * For each revert the state to go back to: of the named revision of this space, else of the change request's base.
 * A page that was not there has a row without an id; a revision that is none of this space has no row.
 */
export const revertedStates = (source: ContentSource, wanted: WantedContent): SQL => sql`
  WITH asked AS MATERIALIZED (
    SELECT value->>'index' AS change, value->>'page' AS page, CASE WHEN value->>'revision' IS NULL THEN ${source.baseLineage}
      ELSE (SELECT lineage FROM revisions WHERE id = value->>'revision' AND space = ${source.space}) END AS lineage
    FROM json_each(${JSON.stringify(wanted.reverts)})),
  states AS MATERIALIZED (
    SELECT a.change, v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.key) AS depth
    FROM asked a CROSS JOIN json_each(a.lineage) l CROSS JOIN versions v
      ON v.branch = l.value->>0 AND v.kind = 'page' AND v.id = a.page AND v.since = (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = l.value->>0 AND x.kind = 'page' AND x.id = a.page AND x.since <= l.value->>1)
    GROUP BY a.change)
  SELECT asked.change, asked.page, s.kind, s.id, s.parent, s.position, s.slug, s.deleted, s.data, s.document
  FROM asked LEFT JOIN states s ON s.change = asked.change WHERE asked.lineage IS NOT NULL`;
