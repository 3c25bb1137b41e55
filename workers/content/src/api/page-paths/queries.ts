import type { RecordOf } from '@octavo/db';
import {
  foreverSeq,
  fromJson,
  fromQuery,
  nullable,
  prepareStatement,
  selectBranchLineage,
  selection,
} from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { BranchId, PageReading, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { generatedById, generatedByPath, isGeneratedId } from '../../engine/computed/sources.ts';
import {
  createLineageCte,
  hasConditionOnWalk,
  isNearest,
  isPublicAt,
  pageStateIndex,
  queryAllNodes,
  selectPageState,
  selectRevisionLineage,
  selectState,
  selectWalk,
} from '../../engine/store/lineage.ts';

const anchorRow = selection({ anchor: fromQuery(String) });

/** Returns the lineage of a point of a space; `name` is the id of the change request or revision. */
type LineageSelector = (space: SQL<SpaceId>, name: SQL<string | null>) => SQL<string>;

const lineages = {
  live: (space) => selectBranchLineage(space),
  changeRequest: (space, name) =>
    selectBranchLineage(sql<BranchId>`(SELECT id FROM change_requests WHERE id = ${name} AND space = ${space})`),
  revision: (space, name) => selectRevisionLineage({ space, revision: name }),
} satisfies Record<string, LineageSelector>;

/** Prepares the statements that read a point by path (`isPath`), or the live content by page id. */
function createStatements(selectLineage: LineageSelector, isPath: boolean) {
  const { queryGeneratedPage } = isPath ? generatedByPath : generatedById;
  type Space = SQL<SpaceId>;
  type Named = SQL<string | null>;
  return {
    pathRows: prepareStatement((space: Space, name: Named, key: SQL<string>, length: SQL<number>) => {
      const lineage = selectLineage(space, name);
      if (isPath) return queryPages({ lineage }, { space, slugs: key, length });
      const emptyPath = { slugs: sql<string>`'[]'`, length: sql<number>`1` };
      return queryPages({ lineage, walk: sql`SELECT 1, ${key}` }, { space, ...emptyPath });
    }),
    anchor: prepareStatement((space: Space, name: Named, page: SQL<string>, anchor: SQL<string>) =>
      anchorRow.query(sql`
        WITH ${createLineageCte(selectLineage(space, name))}, state(anchors, depth) AS (
          SELECT v.data->'$.anchors', MIN(l.depth)
          FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, page)})
        SELECT ${anchorRow.with({ anchor: sql`e.value` })} FROM state CROSS JOIN json_each(state.anchors) e
        WHERE e.key = ${anchor}`),
    ),
    variables: prepareStatement((space: Space, name: Named) =>
      queryAllNodes(selectLineage(space, name), sql`'variable'`),
    ),
    generatedPage: prepareStatement((space: Space, name: Named, key: SQL<string>, length: SQL<number>) =>
      queryGeneratedPage(selectLineage(space, name), key, length, space),
    ),
  };
}

const byPath = {
  live: createStatements(lineages.live, true),
  changeRequest: createStatements(lineages.changeRequest, true),
  revision: createStatements(lineages.revision, true),
};
const byId = createStatements(lineages.live, false);

const getPointKind = ({ changeRequest, revision }: Pick<PageReading, 'changeRequest' | 'revision'>) =>
  changeRequest === undefined ? (revision === undefined ? 'live' : 'revision') : 'changeRequest';

/** Finds the current anchor of a heading by its former one; no row if the anchor has not changed. */
export function findCurrentAnchor({ space, changeRequest, revision }: PageReading, page: string, anchor: string) {
  const { anchor: select } = byPath[getPointKind({ changeRequest, revision })];
  return select(space, changeRequest ?? revision ?? null, page, anchor);
}

/** A page id (`length` is 0), or a path as a JSON array of `length` slugs. */
export interface Key {
  key: string;
  length: number;
}

/**
 * Returns the queries for the pages that a path or a page id can mean. The queries for generated pages read no rows if
 * a stored page matches, or in a space without computed pages.
 */
export function createPageQueries({ space, changeRequest, revision, page }: PageReading, { key, length }: Key) {
  const by = page === undefined ? byPath[getPointKind({ changeRequest, revision })] : byId;
  const pointId = (page === undefined ? (changeRequest ?? revision) : undefined) ?? null;
  const mayBeMade = page === undefined ? length > 0 : isGeneratedId(page);
  return {
    rows: by.pathRows(space, pointId, key, length),
    variables: by.variables(space, pointId),
    made: mayBeMade ? by.generatedPage(space, pointId, key, length) : [],
  };
}

export const splitPath = (path: string): string[] => path.split('/').filter((slug) => slug !== '');

/**
 * A candidate page or one of its ancestors (`rank` is 0 for the current page), or a candidate for the first page of a
 * group.
 */
const pathRow = selection({
  rank: nullable(fromQuery(Number)),
  place: fromQuery(Number),
  id: fromQuery(String),
  parent: fromQuery(String),
  slug: fromQuery(String),
  type: fromQuery(String),
  condition: nullable(fromQuery(String)),
  variables: nullable(fromQuery(fromJson<Record<string, string | number | boolean>>())),
  movedAt: nullable(fromQuery(Number)),
});
export type PathRow = RecordOf<typeof pathRow>;

interface Point {
  lineage: SQL;
  /** Replaces the body of the CTE `walk` if the page is not found by path. */
  walk?: SQL;
}

interface PathQuery {
  space: SQL<SpaceId>;
  slugs: SQL<string>;
  length: SQL<number>;
}

const hasPath = (state: SQL): SQL => sql`${state}->>${pageStateIndex.type} IN ('document', 'group')`;

/** The periods for which former pages of a path are searched, as JSON pairs of timestamps. */
interface FormerTimes {
  times: SQL<string>;
  /** A condition under which former pages need not be searched. */
  isTaken: SQL;
}

const forever = sql.raw(String(foreverSeq));

/** The CTE `times(since, until, ends)`: the periods in revision numbers, with the timestamp of the end. */
const createTimesCte = (
  space: SQL,
  { times, isTaken }: FormerTimes,
): SQL => sql`times(since, until, ends) AS MATERIALIZED (
  SELECT iif(value->>0 = 0, 0, ${selectSeqAt(space, sql`(value->>0)`)}),
    iif(value->>1 = ${forever}, ${forever}, 1 + ${selectSeqAt(space, sql`(value->>1)`)}), value->>1
  FROM json_each(${times}) WHERE NOT ${isTaken})`;

/** Returns the query for the pages that a path names, with their ancestors: the current page, otherwise former ones. */
const queryPages = ({ lineage, walk }: Point, { space, slugs, length }: PathQuery) =>
  pathRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, walk(level, id) AS (${walk ?? selectWalk(slugs, length)}),
    present(id) AS MATERIALIZED (
      SELECT id FROM walk WHERE level = ${length} AND (id = '' OR ${hasPath(selectPageState(sql`walk.id`))}) LIMIT 1
    ), ${createFormerCte({ space, lineage: selectBranchLineage(space), slugs, length })}, ${selectPathRows(selectMoveTime(space))}`);

/** Returns the query for the pages that a path named during some periods, with their ancestors. */
const queryFormerPages = ({ space, slugs, length }: PathQuery, during: FormerTimes) => {
  const lineage = selectBranchLineage(space);
  const end = sql`(SELECT MAX(iif(t.until = u.until, t.ends, ${selectMoveTime(space)})) FROM times t
    WHERE t.since < u.until AND t.until >= u.until)`;
  return pathRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, present(id) AS (SELECT '' WHERE 0), ${createTimesCte(space, during)},
    ${createFormerCte({ space, lineage, slugs, length }, sql`SELECT since, until FROM times`)}, ${selectPathRows(end)}`);
};

/** The time when a page of `up u` moved away or another page took its path. */
const selectMoveTime = (space: SQL): SQL =>
  sql`(SELECT r.created_at FROM revisions r WHERE r.branch = ${space} AND r.seq = u.until)`;

/**
 * Selects the pages of the CTEs `present` and `former` with their ancestors. `end` is the time until which a page of
 * `up u` had the path.
 */
const selectPathRows = (end: SQL): SQL => sql`
    targets(id, rank, until) AS MATERIALIZED (
      SELECT id, 0, NULL FROM present UNION ALL SELECT id, row_number() OVER (ORDER BY until DESC, id), until FROM former
    ), up(rank, place, id, state, until) AS (
      SELECT rank, 0, id, ${selectPageState(sql`t.id`)}, until FROM targets t WHERE id <> ''
      UNION ALL
      SELECT rank, place + 1, u.state->>${pageStateIndex.parent}, ${selectPageState(sql`(u.state->>${pageStateIndex.parent})`)}, NULL
      FROM up u WHERE u.state->>${pageStateIndex.parent} <> '' AND place <= ${sql.raw(String(maxPageDepth))}
    ), tops(id) AS MATERIALIZED (
      SELECT id FROM present WHERE id = ''
      UNION SELECT id FROM up WHERE place = 0 AND state->>${pageStateIndex.type} = 'group'
    ), ${downCte}
    SELECT ${pathRow.names.rank}, place, id, state->>0 AS parent, state->>1 AS slug, state->>2 AS type, state->>3 AS condition, state->4 AS variables,
      ${end} AS ${pathRow.names.movedAt}
    FROM up u
    WHERE EXISTS (SELECT 1 FROM up first WHERE first.rank = u.rank AND first.place = 0 AND ${hasPath(sql`first.state`)})
      AND NOT EXISTS (SELECT 1 FROM up gone WHERE gone.rank = u.rank AND gone.state IS NULL)
    UNION ALL
    SELECT NULL, place, id, parent, state->>1, state->>2, state->>3, state->4, NULL FROM down WHERE state IS NOT NULL
    ORDER BY 1, 2`;

/** Limits on the siblings, and on all pages, that are searched for a visible page. */
const maxSiblings = sql.raw('64');
const maxPages = sql.raw('256');
/** Number of siblings read at once; usually the first is visible. */
const perList = sql.raw('4');

/**
 * Returns the SQL condition that `v` is a child of a page after a position among its siblings. Tombstones have no
 * position.
 */
const isChildAfter = (parent: SQL, { position, id }: SiblingPosition): SQL =>
  sql`v.kind = 'page' AND v.parent = ${parent} AND (v.position, v.id) > (${position}, ${id})`;

interface SiblingPosition {
  position: SQL;
  id: SQL;
}

/** A key that precedes every position. */
const start: SiblingPosition = { position: sql.raw(`''`), id: sql.raw('char(1114111)') };

/** Returns the position of the last entry of a full list, after which the next list starts. */
const getListEnd = (list: SQL): SiblingPosition => ({
  position: sql`(${list}->>'$[3][0]')`,
  id: sql`(${list}->>'$[3][1]')`,
});

/**
 * An SQL expression for the first live children of a page after a position, as a JSON list of [position, id]. Current
 * versions are read in index order; superseded ones are scanned.
 */
const selectChildren = (
  parent: SQL,
  after: SiblingPosition,
): SQL => sql`(SELECT json_group_array(json(child) ORDER BY position, id) FROM (
  SELECT position, id, json_array(position, id) AS child FROM (
    SELECT c.value->>0 AS position, c.value->>1 AS id FROM lineage l CROSS JOIN json_each((
      SELECT json_group_array(json_array(position, id)) FROM (
        SELECT v.position, v.id FROM versions v INDEXED BY versions_children
        WHERE v.branch = l.branch AND ${isChildAfter(parent, after)} AND v.until = ${forever} AND v.since <= l.seq AND ${isNearest}
        ORDER BY v.position, v.id LIMIT ${perList}))) c
    UNION ALL
    SELECT v.position, v.id FROM lineage l CROSS JOIN versions v INDEXED BY versions_children ON v.branch = l.branch
      AND ${isChildAfter(parent, after)} AND v.until > l.seq AND v.until < ${forever} AND v.since <= l.seq AND ${isNearest})
  ORDER BY position, id LIMIT ${perList}))`;

const selectIdAt = (list: SQL, index: SQL): SQL => sql`(${list}->>('$[' || (${index} % ${perList}) || '][1]'))`;

const isVisibleDocument = sql`COALESCE(d.state->>${pageStateIndex.type} = 'document' AND d.state->>${pageStateIndex.condition} IS NULL, 0)`;
const nextId = selectIdAt(sql`d.list`, sql`(d.place + 1)`);

/**
 * The CTE `down(parent, list, place, id, state, level)`: the descendants of the groups in `tops(id)` ('' is the root),
 * depth first. A list of siblings ends at the first document without a condition, because every reader who sees its
 * ancestors sees it.
 */
const downCte = sql`down(parent, list, place, id, state, level) AS (
    SELECT t.id, c.value, 0, ${selectIdAt(sql`c.value`, sql`0`)}, ${selectPageState(selectIdAt(sql`c.value`, sql`0`))}, 0
    FROM tops t CROSS JOIN json_each(json_array(${selectChildren(sql`t.id`, start)})) c WHERE c.value <> '[]'
    UNION ALL
    SELECT d.parent, d.list, d.place + 1, ${nextId}, ${selectPageState(nextId)}, d.level
    FROM down d WHERE (d.place + 1) % ${perList} > 0 AND ${nextId} IS NOT NULL AND NOT ${isVisibleDocument}
    UNION ALL
    SELECT d.parent, c.value, d.place + 1, ${selectIdAt(sql`c.value`, sql`0`)}, ${selectPageState(selectIdAt(sql`c.value`, sql`0`))}, d.level
    FROM down d CROSS JOIN json_each(json_array(${selectChildren(sql`d.parent`, getListEnd(sql`d.list`))})) c
    WHERE (d.place + 1) % ${perList} = 0 AND d.place + 1 < ${maxSiblings} AND NOT ${isVisibleDocument} AND c.value <> '[]'
    UNION ALL
    SELECT d.id, c.value, 0, ${selectIdAt(sql`c.value`, sql`0`)}, ${selectPageState(selectIdAt(sql`c.value`, sql`0`))}, d.level + 1
    FROM down d CROSS JOIN json_each(json_array(${selectChildren(sql`d.id`, start)})) c
    WHERE d.state->>${pageStateIndex.type} = 'group' AND c.value <> '[]'
    ORDER BY 6 DESC LIMIT ${maxPages}
  )`;

/**
 * Former paths are read from the history of the space's own branch. A page had a path if all slugs of the path were
 * valid at the same time. Each step starts at a page, with the period in which it and its ancestors had the first part
 * of the path, and finds the pages that had the next slug below it in that period. The newest pages are followed first,
 * so they are found first. The history of a duplicated space starts with the content copied from its source.
 */

/** Limits on the versions scanned for one slug below one page, on the steps in total, and on the pages found. */
const maxVersions = sql.raw('1000');
const maxSteps = sql.raw('256');
const maxMatches = sql.raw('16');

/**
 * Returns the SQL condition that `v` is a version on the space's own branch with the next slug of `p`, a row of `past`.
 */
const hasNextSlug = (space: SQL, slugs: SQL): SQL => sql`v.branch = ${space} AND v.kind = 'page' AND v.parent = p.id
  AND v.slug = json_extract(${slugs}, '$[' || p.level || ']')`;

/**
 * Selects the versions with the next slug within the period of `p`, newest first. Two pages never have the same path at
 * the same time.
 */
const selectVersions = (space: SQL, slugs: SQL): SQL => sql`
  SELECT * FROM (SELECT v.id, v.since, v.until FROM versions v WHERE ${hasNextSlug(space, slugs)} AND v.until > p.until
    ORDER BY v.until LIMIT 1)
  UNION ALL SELECT * FROM (SELECT v.id, v.since, v.until FROM versions v
    WHERE ${hasNextSlug(space, slugs)} AND v.until > p.since AND v.until <= p.until ORDER BY v.until DESC LIMIT ${maxVersions})`;

/** Merges consecutive versions of one page into one period: (id, since, until). */
const selectPeriods = (space: SQL, slugs: SQL): SQL => sql`
  SELECT id, MIN(since) AS since, MAX(until) AS until FROM (
    SELECT id, since, until, SUM(begins) OVER (ORDER BY until DESC) AS stay FROM (
      SELECT id, since, until, lag(id) OVER (ORDER BY until DESC) IS NOT id OR lag(since) OVER (ORDER BY until DESC) IS NOT until AS begins
      FROM (${selectVersions(space, slugs)})))
  GROUP BY stay`;

/**
 * Selects the periods of pages that were copied from other branches when the space was created. Such a period ends when
 * the space wrote its own state of the page.
 */
const selectInheritedPeriods = (space: SQL, slugs: SQL): SQL => sql`
  SELECT v.id, 1, COALESCE((SELECT MIN(o.since) FROM versions o WHERE o.branch = ${space} AND o.kind = 'page' AND o.id = v.id), ${forever})
  FROM sources l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'page' AND v.parent = p.id
    AND v.slug = json_extract(${slugs}, '$[' || p.level || ']') AND v.until > l.seq AND v.since <= l.seq
  WHERE NOT EXISTS (SELECT 1 FROM sources n CROSS JOIN versions x ON x.branch = n.branch
    AND x.kind = 'page' AND x.id = v.id AND x.since <= n.seq WHERE n.depth < l.depth)`;

interface PathHistory {
  /** The id of the branch whose history is searched, and its lineage. */
  space: SQL;
  lineage: SQL;
  slugs: SQL;
  length: SQL;
}

/**
 * A SELECT of (since, until): the whole history of a space, unless the CTE `present` has a page visible to everyone.
 */
const wholeHistory = sql`SELECT 0 AS since, ${forever} AS until
  WHERE NOT EXISTS (SELECT 1 FROM present) OR ${hasConditionOnWalk}`;

/**
 * The CTE `former(id, until)`: the pages that had a path within some periods, with the end of the last period of each.
 */
const createFormerCte = ({ space, lineage, slugs, length }: PathHistory, times: SQL = wholeHistory): SQL => sql`
  sources(depth, branch, seq) AS MATERIALIZED (SELECT key, value->>0, value->>1 FROM json_each(${lineage}) WHERE key > 0),
  past(level, id, since, until) AS (
    SELECT 0, '', since, until FROM (${times}) WHERE ${length} > 0
    UNION ALL
    SELECT p.level + 1, stay.value->>0, MAX(p.since, stay.value->>1), MIN(p.until, stay.value->>2)
    FROM past p CROSS JOIN json_each((SELECT json_group_array(json_array(id, since, until)) FROM (
      ${selectPeriods(space, slugs)} UNION ALL ${selectInheritedPeriods(space, slugs)}))) stay
    WHERE p.level < ${length} AND MAX(p.since, stay.value->>1) < MIN(p.until, stay.value->>2)
    ORDER BY 4 DESC, 1 DESC LIMIT ${maxSteps}
  ), former(id, until) AS MATERIALIZED (
    SELECT id, MAX(until) FROM past WHERE level = ${length} GROUP BY id ORDER BY 2 DESC, 1 LIMIT ${maxMatches}
  )`;

/** Returns an SQL expression for the seq of the newest revision at a time, 0 before the first. Uses binary search. */
const selectSeqAt = (space: SQL, moment: SQL): SQL => sql`(
  WITH RECURSIVE cut(low, high) AS (
    SELECT 0, (SELECT MAX(seq) FROM revisions WHERE branch = ${space})
    UNION ALL
    SELECT iif(r.created_at <= ${moment}, r.seq, low), iif(r.created_at <= ${moment}, high, r.seq - 1)
    FROM cut CROSS JOIN revisions r ON r.branch = ${space} AND r.seq = (low + high + 1) / 2 WHERE low < high
  ) SELECT low FROM cut ORDER BY high - low LIMIT 1)`;

export const readVariables = prepareStatement((space: SQL<SpaceId>) =>
  queryAllNodes(selectBranchLineage(space), sql`'variable'`),
);

type Text = SQL<string>;

type Length = SQL<number>;

export const readFormerPages = prepareStatement(
  (
    space: SQL<SpaceId>,
    slugs: Text,
    length: Length,
    times: Text,
    targetSpace: SQL<SpaceId>,
    path: Text,
    depth: Length,
  ) =>
    queryFormerPages(
      { space, slugs, length },
      { times, isTaken: isPublicAt(selectBranchLineage(targetSpace), path, depth) },
    ),
);
