import { foreverSeq, fromQuery, prepareStatement, selection, versions } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { BranchId, RevisionId, SpaceId } from '@octavo/schema';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** The CTE `lineage(depth, branch, seq)`; `lineage` is a JSON text or an expression that returns one. */
export const createLineageCte = (lineage: SQLWrapper | string): SQL =>
  sql`lineage(depth, branch, seq) AS MATERIALIZED (SELECT key, value->>0, value->>1 FROM json_each(${lineage}))`;

/**
 * A join condition: `v` is the version of a node on the branch of `l` at its seq. One index seek, however often the
 * node was edited. `kind` and `id` name the node.
 */
export const selectState = (kind: SQL, id: SQL): SQL => sql`v.branch = l.branch AND v.kind = ${kind} AND v.id = ${id}
  AND v.since = (SELECT MAX(x.since) FROM versions x
    WHERE x.branch = l.branch AND x.kind = ${kind} AND x.id = ${id} AND x.since <= l.seq)`;

/** The branches of a lineage in JSON, nearest first, with the last of their revisions that is read. */
const parseLineage = (lineage: string): [branch: string, seq: number][] => JSON.parse(lineage);

/** The CTE `head(lineage)`, which has the lineage in JSON, for `selectNearest`. */
export const createHeadCte = (lineage: string, name = head): SQL =>
  sql`${name}(lineage) AS MATERIALIZED (SELECT ${lineage})`;

const head = sql`head`;

/**
 * Returns an SQL expression for a value of the version `v` of a page, which is read through a lineage in JSON; null if
 * no branch has the page. The value must not be null. It reads one row for each branch up to the nearest that has the
 * page. It reads the branches from the CTE `head`, or from another CTE with the same column, because D1 allows only 100
 * parameters.
 */
export const selectNearest = (lineage: string, id: SQL, value: SQL, cte = head): SQL =>
  sql`COALESCE(${sql.join(
    parseLineage(lineage).map((_, depth) => {
      const get = (index: number) => sql`(SELECT lineage FROM ${cte})->>${sql.raw(`'$[${depth}][${index}]'`)}`;
      return sql`(SELECT ${value} FROM versions v
        WHERE v.branch = ${get(0)} AND v.kind = 'page' AND v.id = ${id} AND v.since <= ${get(1)} ORDER BY v.since DESC LIMIT 1)`;
    }),
    sql`, `,
  )}, NULL)`;

/** Returns an SQL expression for a column of the current state of a page. */
export const selectPageColumn = (
  lineage: SQL,
  column: 'parent' | 'slug',
  id: SQL,
): SQL => sql`(WITH ${createLineageCte(lineage)}
  SELECT v.${sql.raw(column)} FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** The SQL condition that no nearer branch of the lineage has a state of the node of `v`, so readers see `v`. */
export const isNearest = sql`NOT EXISTS (SELECT 1 FROM lineage n CROSS JOIN versions x ON x.branch = n.branch
  AND x.kind = v.kind AND x.id = v.id AND x.since <= n.seq WHERE n.depth < l.depth)`;

const v = aliasedTable(versions, 'v');

/** The state of a node, from `versions v`. */
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

/** The lineage of the main revision that a change request is based on. */
export const selectBaseLineage = (changeRequest: BranchId | SQLWrapper): SQL => sql`COALESCE(
  (SELECT json_remove(lineage, '$[0]') FROM revisions WHERE branch = ${changeRequest} ORDER BY seq DESC LIMIT 1),
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${changeRequest})))`;

type Lineage = SQL | string;

/** A page or one of its ancestors. `level` is 0 for the page at which the chain starts. */
export const ancestorRow = selection({ ...nodeRow.fields, level: fromQuery(Number) });
const heightRow = selection({ id: fromQuery(String), height: fromQuery(Number) });
export const slugRow = selection({ id: fromQuery(String), parent: fromQuery(String), slug: fromQuery(String) });

/**
 * Returns the query for the states of the nodes in `nodes`, a SELECT of (kind, id). Deleted nodes return tombstones,
 * unknown ones no row.
 */
export const queryNodes = (lineage: Lineage, nodes: SQL) =>
  nodeRow.query(sql`WITH ${createLineageCte(lineage)}, ${selectNodes(nodes)}`);

/** The body of `queryNodes`, to follow the CTE `lineage` in a WITH. */
export const selectNodes = (nodes: SQL): SQL => sql`wanted(kind, id) AS MATERIALIZED (${nodes})
    SELECT ${nodeRow}, MIN(l.depth) AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`w.kind`, sql`w.id`)}
    GROUP BY v.kind, v.id`;

/** Returns the query for all live nodes of a kind. It reads rows in proportion to the size of the space. */
export const queryAllNodes = (lineage: Lineage, kind: SQL | string) =>
  nodeRow.query(sql`WITH ${createLineageCte(lineage)} ${selectNearestOfKind(kind)}`);

const joinNodesOfKind = (kind: SQL | string): SQL => sql`FROM lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq AND v.since <= l.seq`;

const selectNearestOfKind = (kind: SQL | string, condition = sql`1`): SQL => sql`
    SELECT ${nodeRow}, MIN(l.depth) AS depth ${joinNodesOfKind(kind)}
    WHERE ${condition} GROUP BY v.id HAVING v.deleted = 0`;

/**
 * `queryAllNodes` as a prepared statement for a lineage in JSON. If the lineage has only one branch, SQLite returns the
 * first page or file without reading and sorting all others, so that the machine can collect the rows in slices. Other
 * nodes are sorted by id.
 */
export const readAllNodes = prepareStatement((lineage: SQL<string>, kind: SQL<string>) => {
  const isStreamed = sql`(${kind} IN ('page', 'file') AND json_array_length(${lineage}) = 1)`;
  return nodeRow.query(sql`
    WITH ${createLineageCte(lineage)}
    SELECT ${nodeRow}, l.depth AS depth ${joinNodesOfKind(kind)} WHERE ${isStreamed} AND v.deleted = 0
    UNION ALL ${selectNearestOfKind(kind, sql`NOT ${isStreamed}`)}`);
});

/**
 * Returns the query for the pages of `start`, a SELECT of ids, and all their ancestors. Each page is returned once,
 * with its distance (`level`) from a page of `start`.
 */
export const queryAncestors = (lineage: Lineage, start: SQL) =>
  ancestorRow.query(sql`WITH RECURSIVE ${createLineageCte(lineage)}, ${selectAncestors(start)}`);

/** The body of `queryAncestors`, to follow the CTE `lineage` in a WITH RECURSIVE. */
export const selectAncestors = (start: SQL): SQL => sql`wanted(id) AS MATERIALIZED (${start}), up(id, level) AS (
      SELECT id, 0 FROM wanted WHERE id <> ''
      UNION
      SELECT (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`up.id`)} ORDER BY l.depth LIMIT 1), level + 1
      FROM up WHERE up.id <> '' AND level < 256
    )
    SELECT ${ancestorRow.with({ level: sql`MIN(up.level)` })}, MIN(l.depth) AS depth
    FROM up CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`up.id`)}
    WHERE up.id IS NOT NULL GROUP BY v.id HAVING v.deleted = 0 ORDER BY level`;

/** Returns the query for all live descendants of the pages of `start`, a SELECT of ids. */
export const queryDescendants = (lineage: Lineage, start: SQL) => queryLevels(lineage, { start });

/**
 * Returns the query for the live pages on the first `depth` levels below `start`, a SELECT of ids ('' is the root); all
 * levels if there is no depth. Levels are counted only with a depth: without them, the UNION visits each page once even
 * if pages form a cycle.
 */
export const queryLevels = (lineage: Lineage, { start, depth }: { start: SQL; depth?: SQL | number | undefined }) =>
  nodeRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (${start}), down(id, level) AS (
      SELECT id, 0 FROM wanted
      UNION
      SELECT v.id, ${depth === undefined ? sql`0` : sql`level + 1`} FROM down CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = down.id AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND ${isNearest} ${depth === undefined ? sql`` : sql`AND level < ${depth}`}
    )
    SELECT ${nodeRow}, MIN(l.depth) AS depth
    FROM down CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`down.id`)}
    WHERE down.id NOT IN (SELECT id FROM wanted) GROUP BY v.id`);

/**
 * Returns the query for the number of levels of live pages below each page of `start`, counted up to one more than
 * allowed. Pages of `start` and of `removed` (SELECTs of ids), and pages below them, do not count as descendants of
 * others.
 */
export const queryHeights = (lineage: Lineage, { start, removed }: { start: SQL; removed: SQL }) =>
  heightRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (${start}), apart(id) AS MATERIALIZED (
      SELECT id FROM wanted UNION SELECT * FROM (${removed})
    ), down(root, id, level) AS (
      SELECT DISTINCT id, id, 0 FROM wanted
      UNION ALL
      SELECT down.root, v.id, level + 1 FROM down CROSS JOIN lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'page' AND v.parent = down.id AND v.until > l.seq AND v.since <= l.seq
      WHERE v.deleted = 0 AND v.id NOT IN (SELECT id FROM apart) AND ${isNearest} AND level <= ${maxPageDepth}
    )
    SELECT ${heightRow.with({ id: sql`root`, height: sql`MAX(level)` })} FROM down GROUP BY root`);

/** Returns the query for the live children of the pages of `parents`, a SELECT of ids ('' is the root). */
export const queryChildren = (lineage: Lineage, parents: SQL) =>
  nodeRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (${parents})
    SELECT ${nodeRow}, l.depth AS depth
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = w.id AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest}`);

/**
 * Slugs of at least this length, in characters, may be cut to make room for a suffix: their last 8 characters can
 * differ.
 */
const longSlug = 44;

/** Maximum number of variants of a slug (with a number, or shortened) that are looked up on one branch of a lineage. */
const maxForms = 64;

/**
 * Returns the query for the live siblings whose slug equals a wanted one, or continues it with a number. `positions` is
 * a SELECT of (parent, slug). It seeks from slug to slug, so it reads neither former versions nor other siblings. A row
 * with the id '' marks a slug with more variants than were looked up.
 */
export const querySlugs = (lineage: Lineage, positions: SQL) =>
  slugRow.query(sql`WITH RECURSIVE ${createLineageCte(lineage)}, ${selectSlugs(positions)}`);

/** The body of `querySlugs`, to follow the CTE `lineage` in a WITH RECURSIVE. */
export const selectSlugs = (
  positions: SQL,
): SQL => sql`places(parent, slug) AS MATERIALIZED (${positions}), wanted(parent, base, low, high) AS MATERIALIZED (
      SELECT parent, slug, slug, slug FROM places UNION SELECT parent, slug, slug || '-0', slug || '-:' FROM places
      UNION SELECT parent, slug, substr(slug, 1, length(slug) - 8), substr(slug, 1, length(slug) - 8) || char(1114111)
      FROM places WHERE length(slug) > ${longSlug}
    ), found(depth, parent, base, slug, high, form) AS (
      SELECT l.depth, w.parent, w.base, ${selectNextSlug(sql`w.parent`, sql`x.slug >= w.low AND x.slug <= w.high`)}, w.high, 1
      FROM wanted w CROSS JOIN lineage l WHERE w.low <> ''
      UNION
      SELECT f.depth, f.parent, f.base, ${selectNextSlug(sql`f.parent`, sql`x.slug > f.slug AND x.slug <= f.high`)}, f.high, form + 1
      FROM found f CROSS JOIN lineage l ON l.depth = f.depth WHERE f.slug IS NOT NULL AND f.slug < f.high AND form < ${maxForms}
    )
    SELECT '' AS id, parent, base AS slug FROM found WHERE form = ${maxForms} AND slug IS NOT NULL
    UNION SELECT v.id, v.parent, v.slug
    FROM found f CROSS JOIN lineage l ON l.depth = f.depth CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = f.parent AND v.slug = f.slug
      AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest}`;

/** The smallest slug within `range` that a page under `parent` ever had on the branch of `l`. */
const selectNextSlug = (parent: SQL, range: SQL): SQL => sql`(SELECT MIN(x.slug) FROM versions x
  WHERE x.branch = l.branch AND x.kind = 'page' AND x.parent = ${parent} AND ${range})`;

/**
 * The body of the CTE `walk(level, id)`: the pages along a path, which is a JSON array of `length` slugs. Needs the CTE
 * `lineage`.
 */
export const selectWalk = (slugs: SQL<string>, length: SQL<number>): SQL => sql`
    SELECT 0, ''
    UNION ALL
    SELECT level + 1, v.id FROM walk CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = walk.id
      AND v.slug = json_extract(${slugs}, '$[' || walk.level || ']') AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest} AND walk.level < ${length}`;

/** Returns an SQL expression for the id of the page at a path (a JSON array of `length` slugs), or null. */
export const selectPageIdAtPath = (lineage: Lineage, slugs: SQL<string>, length: SQL<number>): SQL<string> => sql`(
  WITH RECURSIVE ${createLineageCte(lineage)}, walk(level, id) AS (${selectWalk(slugs, length)})
  SELECT id FROM walk WHERE level = ${length} LIMIT 1)`;

/** Returns an SQL expression for the id of the first current page below a page, or null. Needs the CTE `lineage`. */
const selectFirstChild = (parent: SQL): SQL => sql`(SELECT c.value->>1 FROM lineage l CROSS JOIN json_each((
    SELECT json_group_array(json_array(position, id)) FROM (
      SELECT v.position, v.id FROM versions v INDEXED BY versions_children
      WHERE v.branch = l.branch AND v.kind = 'page' AND v.parent = ${parent} AND v.until = ${sql.raw(String(foreverSeq))}
        AND v.position > '' AND v.since <= l.seq AND ${isNearest}
      ORDER BY v.position, v.id LIMIT 1))) c ORDER BY c.value->>0, c.value->>1 LIMIT 1)`;

/**
 * Returns an SQL expression for the id of the page that is probably the home page: the first page of the tree, which
 * can be inside groups. It is null or another page if the first ones are hidden, or if the space was read at a revision
 * that is not the newest.
 */
export const selectFirstPageId = (lineage: Lineage): SQL<string> => sql`(
  WITH RECURSIVE ${createLineageCte(lineage)}, first(level, id) AS (
    SELECT 0, ${selectFirstChild(sql`''`)}
    UNION ALL
    SELECT level + 1, ${selectFirstChild(sql`first.id`)} FROM first
    WHERE ${selectPageState(sql`first.id`)}->>${pageStateIndex.type} = 'group' AND level <= ${sql.raw(String(maxPageDepth))})
  SELECT id FROM first WHERE ${selectPageState(sql`first.id`)}->>${pageStateIndex.type} = 'document' LIMIT 1)`;

/** A SELECT of (kind, id) from keys. */
export const selectKeys = (keys: { kind: string; id: string }[]): SQL =>
  sql`SELECT value->>'kind', value->>'id' FROM json_each(${JSON.stringify(keys.map(({ kind, id }) => ({ kind, id })))})`;

export const selectIds = (ids: Iterable<string>): SQL => sql`SELECT value FROM json_each(${JSON.stringify([...ids])})`;

/** Indexes into the JSON of `selectPageState`. */
export const pageStateIndex = {
  parent: sql.raw('0'),
  slug: sql.raw('1'),
  type: sql.raw('2'),
  condition: sql.raw('3'),
  variables: sql.raw('4'),
  noIndex: sql.raw('5'),
};

/**
 * Returns an SQL expression for the parent, slug, type, condition, variables and noIndex of a page as a JSON array;
 * null if there is no such page. Needs the CTE `lineage`.
 */
export const selectPageState = (id: SQL): SQL => sql`(
  SELECT CASE WHEN v.deleted = 0 THEN
    json_array(v.parent, v.slug, v.data->>'$.fields.type', v.data->>'$.fields.condition', json(v.data->'$.fields.variables'), v.data->>'$.fields.noIndex') END
  FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/**
 * Returns an SQL expression for the condition and noIndex of a page and its ancestors, outermost first, as a JSON array
 * of arrays. Pages without both are left out. Needs the CTE `lineage`.
 */
export const selectRestrictions = (id: SQL): SQL => sql`(
  WITH RECURSIVE up(level, state) AS (
    SELECT 0, ${selectPageState(id)} WHERE ${id} <> ''
    UNION ALL
    SELECT level + 1, ${selectPageState(sql`(up.state->>${pageStateIndex.parent})`)} FROM up
    WHERE state->>${pageStateIndex.parent} <> '' AND level <= ${sql.raw(String(maxPageDepth))}
  )
  SELECT json_group_array(json_array(state->>${pageStateIndex.condition}, state->>${pageStateIndex.noIndex}) ORDER BY level DESC)
  FROM up WHERE state->>${pageStateIndex.condition} IS NOT NULL OR state->>${pageStateIndex.noIndex})`;

/** The SQL condition that any page along a path has a condition. Needs the CTEs `lineage` and `walk`. */
export const hasConditionOnWalk = sql`EXISTS (SELECT 1 FROM walk w
  WHERE w.id <> '' AND ${selectPageState(sql`w.id`)}->>${pageStateIndex.condition} IS NOT NULL)`;

/** Returns the SQL condition that a page exists at a path (a JSON array of `length` slugs) and everyone can see it. */
export const isPublicAt = (lineage: SQL, slugs: SQL<string>, length: SQL<number>): SQL => sql`EXISTS (
  WITH RECURSIVE ${createLineageCte(lineage)}, walk(level, id) AS (${selectWalk(slugs, length)})
  SELECT 1 FROM walk WHERE level = ${length} AND NOT ${hasConditionOnWalk})`;

/** Returns an SQL expression for the current lineage of a revision; null if the space has no such revision. */
export const selectRevisionLineage = ({
  space,
  revision,
}: {
  space: SpaceId | SQL;
  revision: RevisionId | SQL;
}): SQL<string> => sql`(SELECT lineage FROM revisions WHERE id = ${revision} AND space = ${space})`;

/** The SQL condition that a page may have a condition. Needs the CTE `lineage`. */
export const mayHaveConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.data->>'$.fields.condition' IS NOT NULL)`;

/** The SQL condition that a live page has a condition. Needs the CTE `lineage`. */
export const hasPageConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.deleted = 0 AND v.data->>'$.fields.condition' IS NOT NULL
    AND v.data->>'$.fields.condition' <> '' AND ${isNearest})`;

/** The SQL condition that a part of a live text has a condition. Needs the CTE `lineage`. */
export const hasTextConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN version_uses v
  ON v.branch = l.branch AND v.used = '' AND v.until > l.seq AND v.since <= l.seq
  WHERE ${isNearest})`;

const formerFileRow = selection({ path: fromQuery(String), id: fromQuery(String) });

/** The SQL condition that a version `v` of a branch has the source path `w.path`. Needs the index of source paths. */
const isFileAtPath = sql`v.branch = l.branch AND v.kind = 'file' AND v.data->>'$.fields.gitPath' = w.path
          AND v.data->>'$.fields.gitPath' IS NOT NULL`;

/**
 * Returns the query for the deleted files that were last at the given source paths. A file that was renamed before it
 * was deleted is found at its last path only. A branch may delete a file that its parent still has. A few rows are read
 * for each path, however many versions its file had.
 */
export const queryFormerFiles = (lineage: SQL, paths: string[]) =>
  formerFileRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(path) AS MATERIALIZED (SELECT DISTINCT value FROM json_each(${JSON.stringify(paths)})),
    former(path, id) AS MATERIALIZED (
      SELECT w.path, (SELECT v.id FROM versions v INDEXED BY versions_sources
        WHERE ${isFileAtPath} AND v.until <= l.seq ORDER BY v.until DESC LIMIT 1)
      FROM wanted w CROSS JOIN lineage l
      UNION SELECT w.path, (SELECT v.id FROM versions v INDEXED BY versions_sources
        WHERE ${isFileAtPath} AND v.until > l.seq ORDER BY v.until LIMIT 1)
      FROM wanted w CROSS JOIN lineage l)
    SELECT ${formerFileRow.with({ path: sql`f.path`, id: sql`f.id` })} FROM former f
    WHERE f.id IS NOT NULL AND (
      SELECT v.deleted FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'file'`, sql`f.id`)}
      ORDER BY l.depth LIMIT 1) = 1
    AND f.path = (
      SELECT v.data->>'$.fields.gitPath' FROM lineage l CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = 'file' AND v.id = f.id
        AND v.since = (SELECT MAX(x.since) FROM versions x
          WHERE x.branch = l.branch AND x.kind = 'file' AND x.id = f.id AND x.since <= l.seq AND x.deleted = 0)
      ORDER BY l.depth LIMIT 1)`);
