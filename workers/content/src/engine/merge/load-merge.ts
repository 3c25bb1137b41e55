import type { Connection, Lineage, Row } from '@octavo/db';
import { foreverSeq, json, number, optionalText, runBatch, text } from '@octavo/db';
import type { Node, Surroundings, ThreeWay } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';
import type { ChangeRequestMove } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { findAncestors, findChildren, findHeights, findNodes, findSlugs } from '../nodes/find-nodes.ts';
import {
  baseLineageOf,
  lineageCte,
  lineageOfBranch,
  nodeColumns,
  pageColumnAt,
  stateAt,
} from '../nodes/lineage-sql.ts';
import { toNode, toPlaces, undecidedOf } from '../nodes/stored-node.ts';

/** One node that the change request touched, in its three states. */
export interface Touched extends ThreeWay {
  key: Pick<Node, 'kind' | 'id'>;
}

export interface Head {
  revision: string;
  seq: number;
  lineage: Lineage;
}

/** All that a merge looks at: the two heads, the nodes that the change request touched, and what of main is around them. */
export interface MergeSides {
  organization: string;
  number: number;
  subject: string;
  status: string;
  /** Whether what the decision to merge was made on still holds. */
  decided: boolean;
  /** The revision that merged it, once there is one. */
  merged: string | null;
  main: Head;
  /** `seq` is 0 while the change request has no revision of its own. */
  branch: Head;
  baseSeq: number;
  touched: Touched[];
  surroundings: Surroundings;
}

/** Reads the sides of a merge in one round trip; rows follow what the change request touched. */
export async function loadMerge({ db }: Connection, move: ChangeRequestMove, decided = sql`1`): Promise<MergeSides> {
  const { space, changeRequest } = move;
  const mainLineage = lineageOfBranch(space);
  const keys = touchedKeys(changeRequest);
  const { states, incoming, base, main, ...rows } = await runBatch(db, {
    states: db.all(headStates(space, changeRequest, decided)),
    incoming: db.all(sql`SELECT ${nodeColumns} FROM versions v WHERE ${touchedBy(changeRequest)}`),
    base: findNodes(db, baseLineageOf(changeRequest), keys),
    main: findNodes(db, mainLineage, keys),
    ancestors: findAncestors(db, mainLineage, parentsOf(changeRequest, mainLineage)),
    children: findChildren(db, mainLineage, deletedPages(changeRequest)),
    siblings: findSlugs(db, mainLineage, placesOf(changeRequest, mainLineage)),
    heights: findHeights(db, mainLineage, {
      start: movedPages(changeRequest, mainLineage),
      gone: deletedPages(changeRequest),
    }),
  });
  const state = states[0];
  if (state === undefined) throw notFound('change request');
  const [baseNodes, mainNodes] = [byKey(base), byKey(main)];
  return {
    organization: text(state, 'organization'),
    number: number(state, 'number'),
    subject: text(state, 'subject'),
    status: text(state, 'status'),
    decided: state.decided === 1,
    merged: optionalText(state, 'merged'),
    main: headOf(state, 'main'),
    branch: headOf(state, 'branch'),
    baseSeq: number(state, 'base_seq'),
    touched: incoming.map((row) => {
      const key = { kind: text(row, 'kind') as Node['kind'], id: text(row, 'id') };
      const states = { base: baseNodes.get(nodeKey(key)), main: mainNodes.get(nodeKey(key)), incoming: toNode(row) };
      return { key, ...states, undecided: undecidedOf(row) };
    }),
    surroundings: {
      ancestors: toPlaces(rows.ancestors),
      children: toPlaces(rows.children),
      siblings: toPlaces(rows.siblings),
      heights: new Map(rows.heights.map((row) => [text(row, 'id'), number(row, 'height')])),
    },
  };
}

const byKey = (rows: Row[]): Map<string, Node> =>
  new Map(rows.flatMap((row) => toNode(row) ?? []).map((node) => [nodeKey(node), node]));

const headOf = (state: Row, side: string): Head => ({
  revision: text(state, `${side}_revision`),
  seq: number(state, `${side}_seq`),
  lineage: json<Lineage>(state, `${side}_lineage`),
});

/** `v` is the newest state of a node on the change request's own branch. */
const touchedBy = (changeRequest: string): SQL =>
  sql`v.branch = ${changeRequest} AND v.kind IN ('page', 'file', 'reusable-content', 'variable') AND v.until = ${foreverSeq}`;

const touchedKeys = (changeRequest: string): SQL =>
  sql`SELECT v.kind, v.id FROM versions v WHERE ${touchedBy(changeRequest)}`;

const headStates = (space: string, changeRequest: string, decided: SQL): SQL => sql`
  SELECT s.organization, ${decided} AS decided, cr.number, cr.subject, cr.status, merged.id AS merged,
    main.id AS main_revision, main.seq AS main_seq, main.lineage AS main_lineage,
    COALESCE(own.id, initial.id) AS branch_revision, COALESCE(own.seq, 0) AS branch_seq, COALESCE(own.lineage, initial.lineage) AS branch_lineage,
    COALESCE(own.lineage->>'$[1][1]', initial.seq) AS base_seq
  FROM change_requests cr
  CROSS JOIN spaces s ON s.id = cr.space
  CROSS JOIN revisions main ON main.branch = s.id AND main.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${space})
  CROSS JOIN revisions initial ON initial.id = cr.revision_initial
  LEFT JOIN revisions own ON own.branch = cr.id AND own.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${changeRequest})
  LEFT JOIN revisions merged ON merged.change_request = cr.id
  WHERE cr.id = ${changeRequest} AND cr.space = ${space} AND s.deleted_at IS NULL`;

/** A CTE-free SELECT of the touched pages with their state in main: incoming and main, parent and slug. */
const pairs = (changeRequest: string, mainLineage: SQL): SQL => sql`
  WITH ${lineageCte(mainLineage)}
  SELECT t.id AS id, t.parent AS parent, t.slug AS slug, t.deleted AS deleted, m.parent AS main_parent, m.slug AS main_slug
  FROM (SELECT v.id, v.parent, v.slug, v.deleted FROM versions v WHERE ${touchedBy(changeRequest)} AND v.kind = 'page') t
  LEFT JOIN (
    SELECT v.id, v.parent, v.slug, MIN(l.depth) FROM versions w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
    WHERE w.branch = ${changeRequest} AND w.kind = 'page' AND w.until = ${foreverSeq} GROUP BY v.id) m ON m.id = t.id`;

const deletedPages = (changeRequest: string): SQL =>
  sql`SELECT v.id FROM versions v WHERE ${touchedBy(changeRequest)} AND v.deleted = 1 AND v.kind = 'page'`;

/** Pages of main that the change request, not main, put below another parent. */
const movedPages = (changeRequest: string, mainLineage: SQL): SQL => sql`
  SELECT p.id FROM (${pairs(changeRequest, mainLineage)}) p WHERE p.deleted = 0 AND p.main_parent <> p.parent
    AND p.parent IS NOT ${pageColumnAt(baseLineageOf(changeRequest), 'parent', sql`p.id`)}`;

const parentsOf = (changeRequest: string, mainLineage: SQL): SQL => sql`
  SELECT parent FROM (${pairs(changeRequest, mainLineage)}) WHERE parent <> ''
  UNION SELECT main_parent FROM (${pairs(changeRequest, mainLineage)}) WHERE main_parent <> ''`;

/** Wherever a touched page may come to stand: either side's parent with either side's slug. */
const placesOf = (changeRequest: string, mainLineage: SQL): SQL => sql`
  SELECT COALESCE(side.value->>0, p.parent), COALESCE(side.value->>1, p.slug)
  FROM (${pairs(changeRequest, mainLineage)}) p
  CROSS JOIN json_each(json_array(json_array(p.parent, p.slug), json_array(p.parent, p.main_slug), json_array(p.main_parent, p.slug))) side
  WHERE p.deleted = 0 AND p.slug <> ''`;
