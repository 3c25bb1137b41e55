import { foreverSeq } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { placeOf, seen, stateOf } from '../../engine/store/lineage.ts';

/** Of so many siblings the first are looked through for a page that is shown, and so many pages in all. */
const maxSiblings = sql.raw('64');
const maxPages = sql.raw('256');
/** So many are read at once: mostly the first is shown. */
const perList = sql.raw('4');

const forever = sql.raw(String(foreverSeq));

/** `v` is a child of a page behind a place among its siblings. Tombstones have no position. */
const isChild = (parent: SQL, { position, id }: SiblingPlace): SQL =>
  sql`v.kind = 'page' AND v.parent = ${parent} AND (v.position, v.id) > (${position}, ${id})`;

interface SiblingPlace {
  position: SQL;
  id: SQL;
}

/** Before all that have a position. */
const start: SiblingPlace = { position: sql.raw(`''`), id: sql.raw('char(1114111)') };

/** The last of a list that is full. */
const endOf = (list: SQL): SiblingPlace => ({ position: sql`(${list}->>'$[3][0]')`, id: sql`(${list}->>'$[3][1]')` });

/**
 * An expression: the first live children of a page behind a place, in JSON as [position, id]. What no version has
 * superseded comes in its order from the index; what was superseded since is looked through.
 */
const childrenOf = (
  parent: SQL,
  after: SiblingPlace,
): SQL => sql`(SELECT json_group_array(json(child) ORDER BY position, id) FROM (
  SELECT position, id, json_array(position, id) AS child FROM (
    SELECT c.value->>0 AS position, c.value->>1 AS id FROM lineage l CROSS JOIN json_each((
      SELECT json_group_array(json_array(position, id)) FROM (
        SELECT v.position, v.id FROM versions v INDEXED BY versions_children
        WHERE v.branch = l.branch AND ${isChild(parent, after)} AND v.until = ${forever} AND v.since <= l.seq AND ${seen}
        ORDER BY v.position, v.id LIMIT ${perList}))) c
    UNION ALL
    SELECT v.position, v.id FROM lineage l CROSS JOIN versions v INDEXED BY versions_children ON v.branch = l.branch
      AND ${isChild(parent, after)} AND v.until > l.seq AND v.until < ${forever} AND v.since <= l.seq AND ${seen})
  ORDER BY position, id LIMIT ${perList}))`;

const idAt = (list: SQL, place: SQL): SQL => sql`(${list}->>('$[' || (${place} % ${perList}) || '][1]'))`;

const isFirst = sql`COALESCE(d.state->>${placeOf.type} = 'document' AND d.state->>${placeOf.condition} IS NULL, 0)`;
const next = idAt(sql`d.list`, sql`(d.place + 1)`);

/**
 * The CTE `down(parent, list, place, id, state, level)`: what is below the groups of `tops(id)` ('' is the root), depth
 * first, until a page that everybody is shown who is shown what is above it.
 */
export const downCte = sql`down(parent, list, place, id, state, level) AS (
    SELECT t.id, c.value, 0, ${idAt(sql`c.value`, sql`0`)}, ${stateOf(idAt(sql`c.value`, sql`0`))}, 0
    FROM tops t CROSS JOIN json_each(json_array(${childrenOf(sql`t.id`, start)})) c WHERE c.value <> '[]'
    UNION ALL
    SELECT d.parent, d.list, d.place + 1, ${next}, ${stateOf(next)}, d.level
    FROM down d WHERE (d.place + 1) % ${perList} > 0 AND ${next} IS NOT NULL AND NOT ${isFirst}
    UNION ALL
    SELECT d.parent, c.value, d.place + 1, ${idAt(sql`c.value`, sql`0`)}, ${stateOf(idAt(sql`c.value`, sql`0`))}, d.level
    FROM down d CROSS JOIN json_each(json_array(${childrenOf(sql`d.parent`, endOf(sql`d.list`))})) c
    WHERE (d.place + 1) % ${perList} = 0 AND d.place + 1 < ${maxSiblings} AND NOT ${isFirst} AND c.value <> '[]'
    UNION ALL
    SELECT d.id, c.value, 0, ${idAt(sql`c.value`, sql`0`)}, ${stateOf(idAt(sql`c.value`, sql`0`))}, d.level + 1
    FROM down d CROSS JOIN json_each(json_array(${childrenOf(sql`d.id`, start)})) c
    WHERE d.state->>${placeOf.type} = 'group' AND c.value <> '[]'
    ORDER BY 6 DESC LIMIT ${maxPages}
  )`;
