import { given, selection, statement, versions } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { BranchId, ChangeRequestId, RevisionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** The CTE `lineage(depth, branch, seq)` of a lineage in JSON: a bound text or an expression that gives one. */
export const lineageCte = (lineage: SQL | string): SQL =>
  sql`lineage(depth, branch, seq) AS MATERIALIZED (SELECT key, value->>0, value->>1 FROM json_each(${lineage}))`;

/**
 * `v` is the version that a node has on the branch of `l` at its seq: one seek, however often the node was edited.
 * `kind` and `id` name the node.
 */
export const stateAt = (kind: SQL, id: SQL): SQL => sql`v.branch = l.branch AND v.kind = ${kind} AND v.id = ${id}
  AND v.since = (SELECT MAX(x.since) FROM versions x
    WHERE x.branch = l.branch AND x.kind = ${kind} AND x.id = ${id} AND x.since <= l.seq)`;

/** An expression: a column of the state that a page has; `id` is an expression. */
export const pageColumnAt = (lineage: SQL, column: 'parent' | 'slug', id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT v.${sql.raw(column)} FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** `v` of `l` is what a reader sees: no nearer branch of the lineage has a state of that node. */
export const seen = sql`NOT EXISTS (SELECT 1 FROM lineage n CROSS JOIN versions x ON x.branch = n.branch
  AND x.kind = v.kind AND x.id = v.id AND x.since <= n.seq WHERE n.depth < l.depth)`;

const v = aliasedTable(versions, 'v');

/** A node's state, of `versions v`. */
export const nodeRow = selection({
  kind: v.kind,
  id: v.id,
  parent: v.parent,
  position: v.position,
  slug: v.slug,
  deleted: v.deleted,
  data: v.data,
  document: v.document,
  since: v.since,
});

/** The lineage of the newest revision of a branch; of a change request without one, that of its initial revision. */
export const lineageOfBranch = (branch: BranchId | SQL): SQL<string> => sql`COALESCE(
  (SELECT lineage FROM revisions WHERE branch = ${branch} ORDER BY seq DESC LIMIT 1),
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${branch})))`;

/** The lineage of the main revision that a change request stands on. */
export const baseLineageOf = (changeRequest: ChangeRequestId): SQL => sql`COALESCE(
  (SELECT json_remove(lineage, '$[0]') FROM revisions WHERE branch = ${changeRequest} ORDER BY seq DESC LIMIT 1),
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${changeRequest})))`;

type Lineage = SQL | string;

/** A page of a chain upwards; `level` counts from its start. */
export const chainRow = selection({ ...nodeRow.fields, level: given(Number) });
const heightRow = selection({ id: given(String), height: given(Number) });
export const placeRow = selection({ id: given(String), parent: given(String), slug: given(String) });

/** The states of the nodes of `wanted`, a SELECT of (kind, id). Deleted ones come as tombstones, unknown ones not at all. */
export const findNodes = (lineage: Lineage, wanted: SQL) =>
  nodeRow.query(sql`WITH ${lineageCte(lineage)}, ${nodesAmong(wanted)}`);

/** The same in the CTE `lineage`: what follows that in a WITH. */
export const nodesAmong = (wanted: SQL): SQL => sql`wanted(kind, id) AS MATERIALIZED (${wanted})
    SELECT ${nodeRow}, MIN(l.depth) AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
    GROUP BY v.kind, v.id`;

/** All live nodes of a kind: rows read follow the size of the space. */
export const findAllNodes = (lineage: Lineage, kind: SQL | string) =>
  nodeRow.query(sql`
    WITH ${lineageCte(lineage)}
    SELECT ${nodeRow}, MIN(l.depth) AS depth
    FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq AND v.since <= l.seq
    GROUP BY v.id HAVING v.deleted = 0`);

/** `findAllNodes` of a lineage in JSON. */
export const allNodesIn = statement((lineage: SQL<string>, kind: SQL<string>) => findAllNodes(lineage, kind));

/** The pages of `start`, a SELECT of ids, and all their ancestors, once each: id, parent, slug, level from its start. */
export const findAncestors = (lineage: Lineage, start: SQL) =>
  chainRow.query(sql`WITH RECURSIVE ${lineageCte(lineage)}, ${ancestorsAbove(start)}`);

/** The same in the CTE `lineage`: what follows that in a WITH RECURSIVE. */
export const ancestorsAbove = (start: SQL): SQL => sql`wanted(id) AS MATERIALIZED (${start}), up(id, level) AS (
      SELECT id, 0 FROM wanted WHERE id <> ''
      UNION
      SELECT (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`up.id`)} ORDER BY l.depth LIMIT 1), level + 1
      FROM up WHERE up.id <> '' AND level < 256
    )
    SELECT ${chainRow.with({ level: sql`MIN(up.level)` })}, MIN(l.depth) AS depth
    FROM up CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`up.id`)}
    WHERE up.id IS NOT NULL GROUP BY v.id HAVING v.deleted = 0 ORDER BY level`;

/** The live pages below those of `start`, a SELECT of ids, at every level. */
export const findDescendants = (lineage: Lineage, start: SQL) => findLevels(lineage, { start });

/**
 * The live pages of the first `depth` levels below those of `start`, a SELECT of ids ('' is the root); without a depth
 * of all. Levels are counted only where they are asked for: else each page is met once, however pages hang together.
 */
export const findLevels = (lineage: Lineage, { start, depth }: { start: SQL; depth?: SQL | number | undefined }) =>
  nodeRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${start}), down(id, level) AS (
      SELECT id, 0 FROM wanted
      UNION
      SELECT v.id, ${depth === undefined ? sql`0` : sql`level + 1`} FROM down CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = down.id AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND ${seen} ${depth === undefined ? sql`` : sql`AND level < ${depth}`}
    )
    SELECT ${nodeRow}, MIN(l.depth) AS depth
    FROM down CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`down.id`)}
    WHERE down.id NOT IN (SELECT id FROM wanted) GROUP BY v.id`);

/**
 * How many levels of live pages hang below those of `start`, counted up to one more than is allowed. Pages of `start`
 * and of `gone`, SELECTs of ids, do not count below others, nor does what hangs below them.
 */
export const findHeights = (lineage: Lineage, { start, gone }: { start: SQL; gone: SQL }) =>
  heightRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${start}), apart(id) AS MATERIALIZED (
      SELECT id FROM wanted UNION SELECT * FROM (${gone})
    ), down(root, id, level) AS (
      SELECT DISTINCT id, id, 0 FROM wanted
      UNION ALL
      SELECT down.root, v.id, level + 1 FROM down CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = down.id AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND v.id NOT IN (SELECT id FROM apart) AND ${seen} AND level <= ${maxPageDepth}
    )
    SELECT ${heightRow.with({ id: sql`root`, height: sql`MAX(level)` })} FROM down GROUP BY root`);

/** The live children of the pages of `parents`, a SELECT of ids ('' is the root). */
export const findChildren = (lineage: Lineage, parents: SQL) =>
  nodeRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${parents})
    SELECT ${nodeRow}, l.depth AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = w.id AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${seen}`);

/** A slug this long, in characters, may be cut to make room for a suffix: its last 8 characters may differ. */
const longSlug = 44;

/** After this many forms of a slug on one branch of a lineage the others are not looked up. */
const maxForms = 64;

/**
 * The live siblings that stand in the way of a slug: `places` is a SELECT of (parent, slug). Those with that slug, and
 * those that continue it with a number, come as id, parent, slug. It goes from slug to slug by seeks, so that neither
 * the versions that a page had nor its other siblings are read. A place of which not all is known comes with the id ''.
 */
export const findSlugs = (lineage: Lineage, places: SQL) =>
  placeRow.query(sql`WITH RECURSIVE ${lineageCte(lineage)}, ${slugsAt(places)}`);

/** The same in the CTE `lineage`: what follows that in a WITH RECURSIVE. */
export const slugsAt = (
  places: SQL,
): SQL => sql`places(parent, slug) AS MATERIALIZED (${places}), wanted(parent, base, low, high) AS MATERIALIZED (
      SELECT parent, slug, slug, slug FROM places UNION SELECT parent, slug, slug || '-0', slug || '-:' FROM places
      UNION SELECT parent, slug, substr(slug, 1, length(slug) - 8), substr(slug, 1, length(slug) - 8) || char(1114111)
      FROM places WHERE length(slug) > ${longSlug}
    ), found(depth, parent, base, slug, high, form) AS (
      SELECT l.depth, w.parent, w.base, ${nextSlug(sql`w.parent`, sql`x.slug >= w.low AND x.slug <= w.high`)}, w.high, 1
      FROM wanted w CROSS JOIN lineage l WHERE w.low <> ''
      UNION
      SELECT f.depth, f.parent, f.base, ${nextSlug(sql`f.parent`, sql`x.slug > f.slug AND x.slug <= f.high`)}, f.high, form + 1
      FROM found f CROSS JOIN lineage l ON l.depth = f.depth WHERE f.slug IS NOT NULL AND f.slug < f.high AND form < ${maxForms}
    )
    SELECT '' AS id, parent, base AS slug FROM found WHERE form = ${maxForms} AND slug IS NOT NULL
    UNION SELECT v.id, v.parent, v.slug
    FROM found f CROSS JOIN lineage l ON l.depth = f.depth CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = f.parent AND v.slug = f.slug
      AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${seen}`;

/** The least slug within `range` that a page under `parent` ever had on the branch of `l`. */
const nextSlug = (parent: SQL, range: SQL): SQL => sql`(SELECT MIN(x.slug) FROM versions x
  WHERE x.branch = l.branch AND x.kind = 'page' AND x.parent = ${parent} AND ${range})`;

/** What the CTE `walk(level, id)` is: the pages on the way along a path, a JSON array of so many slugs, in the CTE `lineage`. */
export const walkAlong = (slugs: SQL<string>, length: SQL<number>): SQL => sql`
    SELECT 0, ''
    UNION ALL
    SELECT level + 1, v.id FROM walk CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
      AND v.slug = json_extract(${slugs}, '$[' || walk.level || ']') AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${seen} AND walk.level < ${length}`;

/** An expression: the id of the page at a path, given as a JSON array of so many slugs, or null. */
export const pageIdAtPath = (lineage: Lineage, slugs: SQL<string>, length: SQL<number>): SQL => sql`(
  WITH RECURSIVE ${lineageCte(lineage)}, walk(level, id) AS (${walkAlong(slugs, length)})
  SELECT id FROM walk WHERE level = ${length} LIMIT 1)`;

/** A SELECT of (kind, id) from keys. */
export const selectKeys = (keys: { kind: string; id: string }[]): SQL =>
  sql`SELECT value->>'kind', value->>'id' FROM json_each(${JSON.stringify(keys.map(({ kind, id }) => ({ kind, id })))})`;

/** A SELECT of ids. */
export const selectIds = (ids: Iterable<string>): SQL => sql`SELECT value FROM json_each(${JSON.stringify([...ids])})`;

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

/** The lineage of a revision of a space, as it is now; null where there is no such revision. */
export const lineageOfRevision = ({
  space,
  revision,
}: {
  space: SpaceId | SQL;
  revision: RevisionId | SQL;
}): SQL<string> => sql`(SELECT lineage FROM revisions WHERE id = ${revision} AND space = ${space})`;

/** An expression, beside the CTE `lineage`: whether a page may have a condition. */
export const someCondition = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.data->>'$.fields.condition' IS NOT NULL)`;

/** An expression, beside the CTE `lineage`: whether a live page has a condition. */
export const hasPageConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.deleted = 0 AND v.data->>'$.fields.condition' IS NOT NULL
    AND v.data->>'$.fields.condition' <> '' AND ${seen})`;

/** An expression, beside the CTE `lineage`: whether a part of a live text has a condition. */
export const hasTextConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN version_uses v
  ON v.branch = l.branch AND v.used = '' AND v.until > l.seq AND v.since <= l.seq
  WHERE ${seen})`;
