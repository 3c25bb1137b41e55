import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { seen } from '../../engine/nodes/find-nodes.ts';
import { placeOf, stateOf } from '../../engine/nodes/page-state.ts';

/** Of so many siblings the first are looked through for a page that is shown, and so many pages in all. */
const maxSiblings = sql.raw('64');
const maxPages = sql.raw('256');

/** Tombstones have no position: those of a whole space would be passed at its root. */
const isChild = (parent: SQL): SQL => sql`v.kind = 'page' AND v.parent = ${parent} AND v.position > ''`;

const firstOf = (rows: SQL): SQL => sql`SELECT * FROM (${rows} ORDER BY v.position, v.id LIMIT ${maxSiblings})`;

/** Live children on the branches of the lineage from a depth on: all of them are read for the first. */
const childrenFrom = (depth: SQL, parent: SQL): SQL =>
  firstOf(sql`SELECT v.position, v.id FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND ${isChild(parent)}
    AND v.until > l.seq AND v.since <= l.seq WHERE l.depth >= ${depth} AND ${seen}`);

/** The same of the newest state of the lineage's own branch, where the index gives the first. */
const childrenAtHead = (parent: SQL): SQL =>
  firstOf(sql`SELECT v.position, v.id FROM versions v
    WHERE v.branch = (SELECT branch FROM lineage WHERE depth = 0) AND ${isChild(parent)}
    AND v.until = ${sql.raw(String(Number.MAX_SAFE_INTEGER))}`);

/** An expression: the ids of the first live children of a page, in JSON. */
const childrenOf = (parent: SQL, isHead: boolean): SQL => sql`(SELECT json_group_array(id ORDER BY position, id) FROM (
  SELECT position, id FROM (${isHead ? sql`${childrenAtHead(parent)} UNION ALL ${childrenFrom(sql`1`, parent)}` : childrenFrom(sql`0`, parent)})
  ORDER BY position, id LIMIT ${maxSiblings}))`;

/**
 * The CTE `down(parent, list, place, id, state, level)`: what is below the groups of `tops(id)` ('' is the root), depth
 * first, until a page that everybody is shown who is shown what is above it.
 */
export const downCte = (isHead: boolean): SQL => sql`down(parent, list, place, id, state, level) AS (
    SELECT t.id, c.value, 0, c.value->>0, ${stateOf(sql`(c.value->>0)`)}, 0
    FROM tops t CROSS JOIN json_each(json_array(${childrenOf(sql`t.id`, isHead)})) c WHERE c.value <> '[]'
    UNION ALL
    SELECT d.parent, d.list, d.place + 1, d.list->>(d.place + 1), ${stateOf(sql`(d.list->>(d.place + 1))`)}, d.level
    FROM down d WHERE d.list->>(d.place + 1) IS NOT NULL
      AND NOT COALESCE(d.state->>${placeOf.type} = 'document' AND d.state->>${placeOf.condition} IS NULL, 0)
    UNION ALL
    SELECT d.id, c.value, 0, c.value->>0, ${stateOf(sql`(c.value->>0)`)}, d.level + 1
    FROM down d CROSS JOIN json_each(json_array(${childrenOf(sql`d.id`, isHead)})) c
    WHERE d.state->>${placeOf.type} = 'group' AND c.value <> '[]'
    ORDER BY 6 DESC LIMIT ${maxPages}
  )`;
