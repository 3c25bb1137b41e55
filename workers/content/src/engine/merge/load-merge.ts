import type { Connection, RecordOf } from '@octavo/db';
import {
  changeRequests,
  computed,
  foreverSeq,
  fromQuery,
  nullable,
  revisions,
  runBatch,
  selectBranchLineage,
  selection,
  spaces,
} from '@octavo/db';
import type {
  FieldConflict,
  MergedNode,
  MergedNodes,
  Node,
  ThreeWay,
  TreeSurroundings,
  Undecided,
  UndecidedField,
} from '@octavo/merge';
import { getNodeKey, mergeNode, mergeTree, restoreFormerSides } from '@octavo/merge';
import type { ChangeRequestId, ChangeRequestMove, MergeConflict, RevisionId, SpaceId } from '@octavo/schema';
import { maxDocumentBytes, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import {
  createLineageCte,
  nodeRow,
  queryAncestors,
  queryChildren,
  queryHeights,
  queryNodes,
  querySlugs,
  selectBaseLineage,
  selectPageColumn,
  selectState,
} from '../store/lineage.ts';
import { getUndecided, toNode, toNodesByKey } from '../store/nodes.ts';
import type { StoredText } from '../store/revisions.ts';
import { findTexts, toStoredText } from '../store/revisions.ts';

export interface MergeOutcome {
  nodes: MergedNodes;
  /** Documents that the merge created. */
  texts: StoredText[];
  conflicts: MergeConflict[];
}

/** Merges the changes of a change request with main: first the nodes, then the rules of the tree. Writes nothing. */
export async function mergeSides(connection: Connection, sides: MergeSides): Promise<MergeOutcome> {
  const texts = await findTexts(connection.db, sides.nodes.flatMap(getHashesToMerge));
  const storedTexts: StoredText[] = [];
  const nodes: MergedNodes = new Map();
  for (const touchedNode of sides.nodes) {
    const merged = mergeNode(touchedNode, (hash) => texts.get(hash) ?? '');
    const text = merged.text === undefined ? undefined : await toStoredText(sides.organization, merged.text);
    if (text !== undefined && text.bytes <= maxDocumentBytes) storedTexts.push(text);
    const { node, clashes } = text === undefined ? merged : setMergedText(merged, text, touchedNode.incoming);
    nodes.set(getNodeKey(touchedNode.key), { before: touchedNode.main, node, clashes });
  }
  mergeTree(nodes, sides.surroundings);
  return { nodes, texts: storedTexts, conflicts: sides.nodes.flatMap((node) => toConflicts(node, nodes)) };
}

/**
 * Sets the merged document of a node. If it would be too large, the node keeps its document, with a conflict to resolve
 * by hand.
 */
function setMergedText(
  { node, clashes, conflictText }: MergedNode,
  text: StoredText,
  incoming: Node | undefined,
): MergedNode {
  if (node === undefined) return { node, clashes };
  if (text.bytes <= maxDocumentBytes) {
    const conflicts = clashes.map((clash) => setWrittenHash(clash, text.hash));
    return { node: { ...node, document: text.hash, oid: text.oid }, clashes: conflicts };
  }
  const { markerLength, incoming: document = null, oid, ...rest } = conflictText ?? {};
  const message = 'the merged text is larger than 1 MiB';
  const others = clashes.filter(({ field }) => field !== 'document');
  const tooLarge = { field: 'document', message, text: { ...rest, incoming: document, oid, written: document } };
  return { node: { ...node, document, oid, links: incoming?.links }, clashes: [...others, tooLarge] };
}

const setWrittenHash = (clash: FieldConflict, writtenHash: string): FieldConflict =>
  clash.text === undefined ? clash : { ...clash, text: { ...clash.text, written: writtenHash } };

/**
 * Returns the conflicts that an update leaves in a node. A parent that the tree does not allow is stored together with
 * the change request's revision in which the page had that parent.
 */
export function findUndecided(
  { nodes }: MergeOutcome,
  { key, undecided }: TouchedNode,
  revision: RevisionId,
): Undecided | undefined {
  const { clashes = [] } = nodes.get(getNodeKey(key)) ?? {};
  if (clashes.length === 0) return undefined;
  return Object.fromEntries(
    clashes.map(({ field, ...clash }): [string, UndecidedField] => [
      field,
      field === 'parent' ? { ...clash, before: undecided?.parent?.before ?? revision } : clash,
    ]),
  );
}

/** Returns the hashes of a node's documents if both sides changed the document differently. */
function getHashesToMerge(touchedNode: TouchedNode): string[] {
  const { base, main, incoming, edited } = restoreFormerSides(touchedNode);
  const hashes = [base, main, incoming].map((node) => node?.document ?? null);
  const changed = main !== undefined && incoming !== undefined && new Set(hashes).size === 3;
  return changed && edited === undefined ? hashes.filter((hash) => hash !== null) : [];
}

/** A conflict has the merged title of the page as its name, so that an update and later responses use the same name. */
function toConflicts({ key, base, main, incoming }: TouchedNode, nodes: MergedNodes): MergeConflict[] {
  const merged = nodes.get(getNodeKey(key));
  const title = (merged?.node ?? incoming ?? main ?? base)?.fields.title;
  return (merged?.clashes ?? []).map(({ field, message }) => ({
    ...key,
    ...(typeof title === 'string' ? { title } : {}),
    field,
    message,
  }));
}

/** A node that the change request changed, in its three states. */
export interface TouchedNode extends ThreeWay {
  key: Pick<Node, 'kind' | 'id'>;
}

const [s, cr] = [aliasedTable(spaces, 's'), aliasedTable(changeRequests, 'cr')];
const [main, merged] = [aliasedTable(revisions, 'main'), aliasedTable(revisions, 'merged')];

const stateRow = selection({
  organization: s.organization,
  number: cr.number,
  subject: cr.subject,
  status: cr.status,
  /** The revision that merged the change request, if any. */
  merged: nullable(merged.id),
  main: { revision: main.id, seq: main.seq, lineage: main.lineage },
  /** `seq` is 0 while the change request has no revision of its own. */
  branch: {
    revision: computed(revisions.id, sql`COALESCE(own.id, initial.id)`),
    seq: computed(revisions.seq, sql`COALESCE(own.seq, 0)`),
    lineage: computed(revisions.lineage, sql`COALESCE(own.lineage, initial.lineage)`),
  },
  /** 0 if the change request is based on another change request. */
  baseSeq: computed(
    revisions.seq,
    sql`CASE WHEN COALESCE(own.lineage->>'$[1][0]', initial.branch) = cr.space THEN COALESCE(own.lineage->>'$[1][1]', initial.seq) ELSE 0 END`,
  ),
  /** Whether the state on which the decision to merge was based is unchanged. */
  decided: fromQuery(Boolean),
});

/** Everything a merge needs: both heads, the nodes changed by the change request, and their surroundings in main. */
export interface MergeSides extends RecordOf<typeof stateRow> {
  nodes: TouchedNode[];
  surroundings: TreeSurroundings;
}

/** Reads both sides of a merge in one round trip; rows read are proportional to the changes of the change request. */
export async function loadMerge({ db }: Connection, move: ChangeRequestMove, decided = sql`1`): Promise<MergeSides> {
  const { space, changeRequest } = move;
  const mainLineage = selectBranchLineage(space);
  const keys = selectTouchedKeys(changeRequest);
  const { states, incoming, base, main, ...rows } = await runBatch(db, {
    states: readHeadStates(space, changeRequest, decided),
    incoming: nodeRow.query(sql`SELECT ${nodeRow} FROM versions v WHERE ${isChangedBy(changeRequest)}`),
    base: queryNodes(selectBaseLineage(changeRequest), keys),
    main: queryNodes(mainLineage, keys),
    ancestors: queryAncestors(mainLineage, selectParents(changeRequest, mainLineage)),
    children: queryChildren(mainLineage, selectDeletedPages(changeRequest)),
    siblings: querySlugs(mainLineage, selectSlugPositions(changeRequest, mainLineage)),
    heights: queryHeights(mainLineage, {
      start: selectMovedPages(changeRequest, mainLineage),
      removed: selectDeletedPages(changeRequest),
    }),
  });
  const [state] = states;
  if (state === undefined) throw notFound('change request');
  const [baseNodes, mainNodes] = [toNodesByKey(base), toNodesByKey(main)];
  return {
    ...state,
    nodes: incoming.map((row) => {
      const key = { kind: row.kind, id: row.id };
      const states = {
        base: baseNodes.get(getNodeKey(key)),
        main: mainNodes.get(getNodeKey(key)),
        incoming: toNode(row),
      };
      return { key, ...states, undecided: getUndecided(row) };
    }),
    surroundings: {
      ancestors: rows.ancestors,
      children: rows.children,
      siblings: rows.siblings,
      heights: new Map(rows.heights.map(({ id, height }) => [id, height])),
    },
  };
}

/** Returns the SQL condition that `v` is the newest state of a node on the change request's own branch. */
const isChangedBy = (changeRequest: ChangeRequestId): SQL =>
  sql`v.branch = ${changeRequest} AND v.kind IN ('page', 'file', 'reusable-content', 'variable') AND v.until = ${foreverSeq}`;

const selectTouchedKeys = (changeRequest: ChangeRequestId): SQL =>
  sql`SELECT v.kind, v.id FROM versions v WHERE ${isChangedBy(changeRequest)}`;

const readHeadStates = (space: SpaceId, changeRequest: ChangeRequestId, decided: SQL) =>
  stateRow.query(sql`
  SELECT ${stateRow.with({ decided })} FROM change_requests cr
  CROSS JOIN spaces s ON s.id = cr.space
  CROSS JOIN revisions main ON main.branch = s.id AND main.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${space})
  CROSS JOIN revisions initial ON initial.id = cr.revision_initial
  LEFT JOIN revisions own ON own.branch = cr.id AND own.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${changeRequest})
  LEFT JOIN revisions merged ON merged.change_request = cr.id
  WHERE cr.id = ${changeRequest} AND cr.space = ${space} AND s.deleted_at IS NULL`);

/** A SELECT of the changed pages with parent and slug on both sides. It can be used as a subquery. */
const selectTouchedPages = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  WITH ${createLineageCte(mainLineage)}
  SELECT t.id AS id, t.parent AS parent, t.slug AS slug, t.deleted AS deleted, m.parent AS main_parent, m.slug AS main_slug
  FROM (SELECT v.id, v.parent, v.slug, v.deleted FROM versions v WHERE ${isChangedBy(changeRequest)} AND v.kind = 'page') t
  LEFT JOIN (
    SELECT v.id, v.parent, v.slug, MIN(l.depth) FROM versions w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)}
    WHERE w.branch = ${changeRequest} AND w.kind = 'page' AND w.until = ${foreverSeq} GROUP BY v.id) m ON m.id = t.id`;

const selectDeletedPages = (changeRequest: ChangeRequestId): SQL =>
  sql`SELECT v.id FROM versions v WHERE ${isChangedBy(changeRequest)} AND v.deleted = 1 AND v.kind = 'page'`;

/** Pages of main that the change request (not main) moved to another parent. */
const selectMovedPages = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT p.id FROM (${selectTouchedPages(changeRequest, mainLineage)}) p WHERE p.deleted = 0 AND p.main_parent <> p.parent
    AND p.parent IS NOT ${selectPageColumn(selectBaseLineage(changeRequest), 'parent', sql`p.id`)}`;

const selectParents = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT parent FROM (${selectTouchedPages(changeRequest, mainLineage)}) WHERE parent <> ''
  UNION SELECT main_parent FROM (${selectTouchedPages(changeRequest, mainLineage)}) WHERE main_parent <> ''`;

/** The positions that a changed page may get: either side's parent with either side's slug. */
const selectSlugPositions = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT COALESCE(side.value->>0, p.parent), COALESCE(side.value->>1, p.slug)
  FROM (${selectTouchedPages(changeRequest, mainLineage)}) p
  CROSS JOIN json_each(json_array(json_array(p.parent, p.slug), json_array(p.parent, p.main_slug), json_array(p.main_parent, p.slug))) side
  WHERE p.deleted = 0 AND p.slug <> ''`;
