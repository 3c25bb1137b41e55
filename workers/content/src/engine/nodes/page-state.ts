import { maxPageDepth } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, stateAt, walkAlong } from './find-nodes.ts';

/** What of a page decides where it stands and who is shown it, in JSON, by these places. */
export const placeOf = {
  parent: sql.raw('0'),
  slug: sql.raw('1'),
  type: sql.raw('2'),
  condition: sql.raw('3'),
  variables: sql.raw('4'),
};

/** An expression: `placeOf` of a page in the CTE `lineage`; null where there is none. */
export const stateOf = (id: SQL): SQL => sql`(
  SELECT CASE WHEN v.deleted = 0 THEN
    json_array(v.parent, v.slug, v.data->>'$.fields.type', v.data->>'$.fields.condition', json(v.data->'$.fields.variables')) END
  FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** An expression: the conditions of a page and of all above it in the CTE `lineage`, in JSON, the outermost first. */
export const conditionsAbove = (id: SQL): SQL => sql`(
  WITH RECURSIVE up(level, state) AS (
    SELECT 0, ${stateOf(id)} WHERE ${id} <> ''
    UNION ALL
    SELECT level + 1, ${stateOf(sql`(up.state->>${placeOf.parent})`)} FROM up
    WHERE state->>${placeOf.parent} <> '' AND level <= ${sql.raw(String(maxPageDepth))}
  )
  SELECT json_group_array(state->>${placeOf.condition} ORDER BY level DESC) FROM up WHERE state->>${placeOf.condition} IS NOT NULL)`;

/** An expression, beside the CTEs `lineage` and `walk` along a path: whether any page on the way has a condition. */
export const isConditionalAlong = sql`EXISTS (SELECT 1 FROM walk w
  WHERE w.id <> '' AND ${stateOf(sql`w.id`)}->>${placeOf.condition} IS NOT NULL)`;

/** An expression: whether a page is at a path, given as a JSON array of so many slugs, that everybody is shown. */
export const isOpenAt = (lineage: SQL, slugs: SQL<string>, length: SQL<number>): SQL => sql`EXISTS (
  WITH RECURSIVE ${lineageCte(lineage)}, walk(level, id) AS (${walkAlong(slugs, length)})
  SELECT 1 FROM walk WHERE level = ${length} AND NOT ${isConditionalAlong})`;
