import type { Connection, RecordOf } from '@octavo/db';
import {
  changeRequests,
  computed,
  foreverSeq,
  fromQuery,
  nullable,
  revisions,
  runBatch,
  selection,
  spaces,
} from '@octavo/db';
import type {
  Clash,
  MergedNode,
  MergedNodes,
  Node,
  ThreeWay,
  TreeSurroundings,
  Undecided,
  UndecidedField,
} from '@octavo/merge';
import { formerSides, mergeNode, mergeTree, nodeKey } from '@octavo/merge';
import type { ChangeRequestId, ChangeRequestMove, MergeConflict, RevisionId, SpaceId } from '@octavo/schema';
import { maxDocumentBytes, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { StoredText } from '../store/documents.ts';
import { findTexts, toStoredText } from '../store/documents.ts';
import {
  findAncestors,
  findChildren,
  findHeights,
  findNodes,
  findSlugs,
  lineageCte,
  nodeRow,
  selectBaseLineage,
  selectBranchLineage,
  selectPageColumn,
  stateAt,
} from '../store/lineage.ts';
import { getUndecided, toNode, toNodesByKey } from '../store/nodes.ts';

export interface Merged {
  nodes: MergedNodes;
  /** Documents that the merge made. */
  texts: StoredText[];
  conflicts: MergeConflict[];
}

/** Merges what a change request touched with main: nodes first, then the rules of the tree. Writes nothing. */
export async function mergeSides(connection: Connection, sides: MergeSides): Promise<Merged> {
  const texts = await findTexts(connection.db, sides.touched.flatMap(hashesToMerge));
  const stored: StoredText[] = [];
  const nodes: MergedNodes = new Map();
  for (const touched of sides.touched) {
    const merged = mergeNode(touched, (hash) => texts.get(hash) ?? '');
    const text = merged.text === undefined ? undefined : await toStoredText(sides.organization, merged.text);
    if (text !== undefined && text.bytes <= maxDocumentBytes) stored.push(text);
    const { node, clashes } = text === undefined ? merged : withText(merged, text, touched.incoming);
    nodes.set(nodeKey(touched.key), { before: touched.main, node, clashes });
  }
  mergeTree(nodes, sides.surroundings);
  return { nodes, texts: stored, conflicts: sides.touched.flatMap((touched) => conflictsOf(touched, nodes)) };
}

/** A node with its merged document. One that would be too large stays as it is, for somebody to write anew. */
function withText({ node, clashes, madeOf }: MergedNode, text: StoredText, incoming: Node | undefined): MergedNode {
  if (node === undefined) return { node, clashes };
  if (text.bytes <= maxDocumentBytes) {
    const written = clashes.map((clash) => withWritten(clash, text.hash));
    return { node: { ...node, document: text.hash, oid: text.oid }, clashes: written };
  }
  const { markerLength, incoming: document = null, oid, ...rest } = madeOf ?? {};
  const message = 'the merged text is larger than 1 MiB';
  const others = clashes.filter(({ field }) => field !== 'document');
  const tooLarge = { field: 'document', message, text: { ...rest, incoming: document, oid, written: document } };
  return { node: { ...node, document, oid, links: incoming?.links }, clashes: [...others, tooLarge] };
}

const withWritten = (clash: Clash, written: string): Clash =>
  clash.text === undefined ? clash : { ...clash, text: { ...clash.text, written } };

/**
 * What an update leaves to be decided of a node. A place that the tree cannot have is kept with the revision of the
 * change request that had it.
 */
export function undecidedIn(
  { nodes }: Merged,
  { key, undecided }: Touched,
  revision: RevisionId,
): Undecided | undefined {
  const { clashes = [] } = nodes.get(nodeKey(key)) ?? {};
  if (clashes.length === 0) return undefined;
  return Object.fromEntries(
    clashes.map(({ field, ...clash }): [string, UndecidedField] => [
      field,
      field === 'parent' ? { ...clash, before: undecided?.parent?.before ?? revision } : clash,
    ]),
  );
}

/** The documents of a page that both sides changed, each to its own. */
function hashesToMerge(touched: Touched): string[] {
  const { base, main, incoming, edited } = formerSides(touched);
  const hashes = [base, main, incoming].map((node) => node?.document ?? null);
  const changed = main !== undefined && incoming !== undefined && new Set(hashes).size === 3;
  return changed && edited === undefined ? hashes.filter((hash) => hash !== null) : [];
}

/** A page goes by the title that it has once it is merged, so that an update and what follows it name it alike. */
function conflictsOf({ key, base, main, incoming }: Touched, nodes: MergedNodes): MergeConflict[] {
  const merged = nodes.get(nodeKey(key));
  const title = (merged?.node ?? incoming ?? main ?? base)?.fields.title;
  return (merged?.clashes ?? []).map(({ field, message }) => ({
    ...key,
    ...(typeof title === 'string' ? { title } : {}),
    field,
    message,
  }));
}

/** One node that the change request touched, in its three states. */
export interface Touched extends ThreeWay {
  key: Pick<Node, 'kind' | 'id'>;
}

const [s, cr] = [aliasedTable(spaces, 's'), aliasedTable(changeRequests, 'cr')];
const [main, merged] = [aliasedTable(revisions, 'main'), aliasedTable(revisions, 'merged')];

const stateRow = selection({
  organization: s.organization,
  number: cr.number,
  subject: cr.subject,
  status: cr.status,
  /** The revision that merged it, once there is one. */
  merged: nullable(merged.id),
  main: { revision: main.id, seq: main.seq, lineage: main.lineage },
  /** `seq` is 0 while the change request has no revision of its own. */
  branch: {
    revision: computed(revisions.id, sql`COALESCE(own.id, initial.id)`),
    seq: computed(revisions.seq, sql`COALESCE(own.seq, 0)`),
    lineage: computed(revisions.lineage, sql`COALESCE(own.lineage, initial.lineage)`),
  },
  /** 0 where it stands on another change request. */
  baseSeq: computed(
    revisions.seq,
    sql`CASE WHEN COALESCE(own.lineage->>'$[1][0]', initial.branch) = cr.space THEN COALESCE(own.lineage->>'$[1][1]', initial.seq) ELSE 0 END`,
  ),
  /** Whether what the decision to merge was made on still holds. */
  decided: fromQuery(Boolean),
});

/** All that a merge looks at: the two heads, the nodes that the change request touched, and what of main is around them. */
export interface MergeSides extends RecordOf<typeof stateRow> {
  touched: Touched[];
  surroundings: TreeSurroundings;
}

/** Reads the sides of a merge in one round trip; rows follow what the change request touched. */
export async function loadMerge({ db }: Connection, move: ChangeRequestMove, decided = sql`1`): Promise<MergeSides> {
  const { space, changeRequest } = move;
  const mainLineage = selectBranchLineage(space);
  const keys = touchedKeys(changeRequest);
  const { states, incoming, base, main, ...rows } = await runBatch(db, {
    states: headStates(space, changeRequest, decided),
    incoming: nodeRow.query(sql`SELECT ${nodeRow} FROM versions v WHERE ${touchedBy(changeRequest)}`),
    base: findNodes(selectBaseLineage(changeRequest), keys),
    main: findNodes(mainLineage, keys),
    ancestors: findAncestors(mainLineage, parentsOf(changeRequest, mainLineage)),
    children: findChildren(mainLineage, deletedPages(changeRequest)),
    siblings: findSlugs(mainLineage, placesOf(changeRequest, mainLineage)),
    heights: findHeights(mainLineage, {
      start: movedPages(changeRequest, mainLineage),
      gone: deletedPages(changeRequest),
    }),
  });
  const [state] = states;
  if (state === undefined) throw notFound('change request');
  const [baseNodes, mainNodes] = [toNodesByKey(base), toNodesByKey(main)];
  return {
    ...state,
    touched: incoming.map((row) => {
      const key = { kind: row.kind, id: row.id };
      const states = { base: baseNodes.get(nodeKey(key)), main: mainNodes.get(nodeKey(key)), incoming: toNode(row) };
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

/** `v` is the newest state of a node on the change request's own branch. */
const touchedBy = (changeRequest: ChangeRequestId): SQL =>
  sql`v.branch = ${changeRequest} AND v.kind IN ('page', 'file', 'reusable-content', 'variable') AND v.until = ${foreverSeq}`;

const touchedKeys = (changeRequest: ChangeRequestId): SQL =>
  sql`SELECT v.kind, v.id FROM versions v WHERE ${touchedBy(changeRequest)}`;

const headStates = (space: SpaceId, changeRequest: ChangeRequestId, decided: SQL) =>
  stateRow.query(sql`
  SELECT ${stateRow.with({ decided })} FROM change_requests cr
  CROSS JOIN spaces s ON s.id = cr.space
  CROSS JOIN revisions main ON main.branch = s.id AND main.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${space})
  CROSS JOIN revisions initial ON initial.id = cr.revision_initial
  LEFT JOIN revisions own ON own.branch = cr.id AND own.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${changeRequest})
  LEFT JOIN revisions merged ON merged.change_request = cr.id
  WHERE cr.id = ${changeRequest} AND cr.space = ${space} AND s.deleted_at IS NULL`);

/** A CTE-free SELECT of the touched pages with their state in main: incoming and main, parent and slug. */
const pairs = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  WITH ${lineageCte(mainLineage)}
  SELECT t.id AS id, t.parent AS parent, t.slug AS slug, t.deleted AS deleted, m.parent AS main_parent, m.slug AS main_slug
  FROM (SELECT v.id, v.parent, v.slug, v.deleted FROM versions v WHERE ${touchedBy(changeRequest)} AND v.kind = 'page') t
  LEFT JOIN (
    SELECT v.id, v.parent, v.slug, MIN(l.depth) FROM versions w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
    WHERE w.branch = ${changeRequest} AND w.kind = 'page' AND w.until = ${foreverSeq} GROUP BY v.id) m ON m.id = t.id`;

const deletedPages = (changeRequest: ChangeRequestId): SQL =>
  sql`SELECT v.id FROM versions v WHERE ${touchedBy(changeRequest)} AND v.deleted = 1 AND v.kind = 'page'`;

/** Pages of main that the change request, not main, put below another parent. */
const movedPages = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT p.id FROM (${pairs(changeRequest, mainLineage)}) p WHERE p.deleted = 0 AND p.main_parent <> p.parent
    AND p.parent IS NOT ${selectPageColumn(selectBaseLineage(changeRequest), 'parent', sql`p.id`)}`;

const parentsOf = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT parent FROM (${pairs(changeRequest, mainLineage)}) WHERE parent <> ''
  UNION SELECT main_parent FROM (${pairs(changeRequest, mainLineage)}) WHERE main_parent <> ''`;

/** Wherever a touched page may come to stand: either side's parent with either side's slug. */
const placesOf = (changeRequest: ChangeRequestId, mainLineage: SQL): SQL => sql`
  SELECT COALESCE(side.value->>0, p.parent), COALESCE(side.value->>1, p.slug)
  FROM (${pairs(changeRequest, mainLineage)}) p
  CROSS JOIN json_each(json_array(json_array(p.parent, p.slug), json_array(p.parent, p.main_slug), json_array(p.main_parent, p.slug))) side
  WHERE p.deleted = 0 AND p.slug <> ''`;
