import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node, UndecidedField } from '@octavo/merge';
import { getNodeKey, maxPageDepth, revertBlocks, selectSide, toFields, toUnits } from '@octavo/merge';
import type { AppliedChange, ContentChange, Issue, OrganizationId, RevisionId } from '@octavo/schema';
import { getDecidedNode, invalid, maxDocumentBytes } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  queryAncestors,
  queryChildren,
  queryDescendants,
  queryHeights,
  queryNodes,
  querySlugs,
  selectIds,
  selectKeys,
} from '../store/lineage.ts';
import { toNodesByKey } from '../store/nodes.ts';
import { findTexts, toStoredText } from '../store/revisions.ts';
import type { PreparedChange } from './documents.ts';
import { readText } from './documents.ts';
import type { ContentSource } from './load-content.ts';
import { presentTouchedPage } from './node-changes.ts';
import type { Apply, ChangeContext, ContentTree, Decision, LoadedContent } from './tree.ts';
import { createFieldConflict, getChainIds, markDecided, omitFields, toDocumentState } from './tree.ts';

/** One `resolve` change of a batch: the conflicting field and the side to keep. */
interface RequestedDecision {
  index: number;
  kind: Node['kind'];
  id: string;
  field: string;
  keep: 'mine' | 'live';
  open: UndecidedField;
  document: string | null;
}

interface DecisionReading {
  db: Database;
  source: ContentSource;
  organization: OrganizationId;
}

interface PreparedBatch {
  content: LoadedContent;
  changes: PreparedChange[];
}

/**
 * Loads the nodes that the `resolve` changes of a batch affect, and creates the documents that they select. Returns the
 * batch unchanged if it has no such changes.
 */
export async function loadDecisions(request: DecisionReading, content: LoadedContent, changes: PreparedChange[]) {
  const requested = changes.flatMap(({ change }, index) => findRequestedDecisions({ change, index }, content));
  if (requested.length === 0) return { content, changes };
  const states = await loadStates(request, content, requested);
  return resolveDocuments(request, { content: states, changes }, requested);
}

function findRequestedDecisions(
  { change, index }: Pick<PreparedChange, 'change'> & { index: number },
  content: LoadedContent,
): RequestedDecision[] {
  if (change.operation !== 'resolve') return [];
  const key = getDecidedNode(change);
  const node = content.nodes.find((node) => getNodeKey(node) === getNodeKey(key));
  const conflicts = node === undefined ? content.tombstones.get(getNodeKey(key)) : node.undecided;
  const { field, keep } = change;
  const open = conflicts !== undefined && Object.hasOwn(conflicts, field) ? conflicts[field] : undefined;
  return open === undefined ? [] : [{ ...key, index, field, keep, open, document: node?.document ?? null }];
}

/** Fields whose resolution moves a page or restores it. */
const placementFields = ['node', 'place', 'parent', 'pages'];

async function loadStates(
  { db, source }: DecisionReading,
  content: LoadedContent,
  requested: RequestedDecision[],
): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const filterPages = (keep: RequestedDecision['keep'], ...fields: string[]) =>
    requested.filter((each) => each.kind === 'page' && each.keep === keep && fields.includes(each.field));
  const misplaced = requested.filter(({ kind, field }) => kind === 'page' && field === 'parent');
  const before = Map.groupBy(filterPages('mine', 'parent'), ({ open }) => open.before ?? '');
  const rows = await runBatch(db, {
    live: queryNodes(baseLineage, selectKeys(requested)),
    above: queryAncestors(baseLineage, selectPageIds(filterPages('live', ...placementFields))),
    below: queryDescendants(lineage, selectPageIds(filterPages('mine', 'pages'))),
    children: queryChildren(lineage, selectPageIds(filterPages('live', 'node', 'parent'))),
    heights: queryHeights(lineage, { start: selectPageIds(misplaced), removed: selectIds([]) }),
    mine: [...before].map(([revision, pages]) => queryAncestors(selectLineage(revision), selectPageIds(pages))),
  });
  const liveNodes = toNodesByKey(rows.live);
  const chains = { live: toNodesByKey(rows.above), mine: toNodesByKey(rows.mine) };
  const heights = new Map(rows.heights.map(({ id, height }) => [id, height]));
  const decisions = new Map(
    requested.map((each): [number, Decision] => [
      each.index,
      {
        live: liveNodes.get(getNodeKey(each)),
        document: each.document,
        chain: buildChain(each.id, chains[each.keep]),
        height: heights.get(each.id) ?? 0,
      },
    ]),
  );
  const states = {
    ...content,
    nodes: [...content.nodes, ...toNodesByKey([...rows.below, ...rows.children]).values()],
    decisions,
  };
  return loadSurroundings(db, source, states);
}

/** Loads the data for positioning pages: which of them exist, their ancestors, and which siblings have their slugs. */
async function loadSurroundings(db: Database, source: ContentSource, content: LoadedContent): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const chains = [...content.decisions.values()].flatMap(({ chain, live }) =>
    live === undefined ? chain : [live, ...chain],
  );
  const pages = chains.filter(({ kind }) => kind === 'page');
  if (pages.length === 0) return content;
  const slugPositions = JSON.stringify(pages.map(({ parent, slug }) => ({ parent, slug })));
  const { live, present, slugs } = await runBatch(db, {
    live: queryNodes(baseLineage, selectKeys(pages)),
    present: queryAncestors(lineage, selectIds(pages.map(({ id }) => id))),
    slugs: querySlugs(lineage, sql`SELECT value->>'parent', value->>'slug' FROM json_each(${slugPositions})`),
  });
  const liveNodes = toNodesByKey(live);
  return {
    ...content,
    decisions: new Map(
      [...content.decisions].map(([index, decision]) => [
        index,
        { ...decision, chain: applyLiveFields(decision.chain, liveNodes) },
      ]),
    ),
    nodes: [...toNodesByKey(present).values(), ...content.nodes],
    slugs: [...content.slugs, ...slugs],
  };
}

/**
 * Keeps the parent and position of pages but takes all other fields from live content, so restoring a page undoes no
 * live edit.
 */
const applyLiveFields = (chain: Node[], live: Map<string, Node>): Node[] =>
  chain.map((page) => ({ ...(live.get(getNodeKey(page)) ?? page), parent: page.parent, position: page.position }));

const selectPageIds = (pages: RequestedDecision[]): SQL => selectIds(pages.map(({ id }) => id));

const selectLineage = (revision: RevisionId): SQL => sql`(SELECT lineage FROM revisions WHERE id = ${revision})`;

/** Returns a page and its ancestors, as far as they are loaded. */
function buildChain(id: string, pages: Map<string, Node>): Node[] {
  const chain: Node[] = [];
  for (
    let page = pages.get(getNodeKey({ kind: 'page', id }));
    page !== undefined && !chain.includes(page);
    page = pages.get(getNodeKey({ kind: 'page', id: page.parent }))
  ) {
    chain.push(page);
  }
  return chain;
}

/** Resolves the conflict markers in documents by keeping the requested side of each remaining conflict. */
async function resolveDocuments(
  { db, organization }: DecisionReading,
  prepared: PreparedBatch,
  requested: RequestedDecision[],
): Promise<PreparedBatch> {
  const conflictedTexts = requested.flatMap(({ index, field, keep, open, document: hash }) => {
    const length = field === 'document' ? open.text?.markerLength : undefined;
    return length === undefined || hash === null ? [] : [{ index, keep, length, hash }];
  });
  const texts = await findTexts(
    db,
    conflictedTexts.map(({ hash }) => hash),
  );
  const changes = [...prepared.changes];
  for (const { index, keep, length, hash } of conflictedTexts) {
    const text = selectSide(texts.get(hash) ?? '', length, keep === 'mine' ? 'incoming' : 'main');
    const change = changes[index];
    if (text === undefined || change === undefined) continue;
    changes[index] = {
      ...change,
      document: { ...readText(text).metadata, stored: await toStoredText(organization, text) },
    };
  }
  return { ...prepared, changes };
}

/** The resolution of one field. `node` is the change request's node, undefined if the change request deleted it. */
interface FieldDecision {
  key: Pick<Node, 'kind' | 'id'>;
  node: Node | undefined;
  field: string;
  decision: Decision;
  context: ChangeContext;
}

/** Resolves one conflict that an update left: keeps the value of the change request, or takes the live value. */
export const resolve: Apply<'resolve'> = (change, context) => {
  const { tree, index } = context;
  const key = getDecidedNode(change);
  const { field, keep } = change;
  const decision = tree.content.decisions.get(index);
  const node = tree.find(key.kind, key.id);
  // An earlier change of the batch has restored the page.
  const isRestored = field === 'node' && keep === 'live' && node !== undefined && decision?.live !== undefined;
  if (decision === undefined || (tree.getConflicts(key)?.[field] === undefined && !isRestored))
    throw createFieldConflict('field', `names ${field} of ${key.kind} ${key.id}, which is not in conflict`);
  const fieldDecision = { key, field, decision, context, node };
  if (field === 'document') resolveTextConflict(fieldDecision, keep);
  else if (keep === 'live') keepLiveSide(fieldDecision);
  else if (field === 'parent') restorePosition(fieldDecision);
  else keepOwnSide(fieldDecision);
};

function keepOwnSide(decision: FieldDecision): void {
  const { key, node, field, context } = decision;
  const { tree } = context;
  if (node !== undefined) {
    // If a page keeps its position below a deleted page, the conflict in `parent` remains.
    tree.put(markDecided(node, [field]), describeChange(decision, 'updated'));
    return;
  }
  if (field === 'pages') {
    for (const page of tree.findDescendants(key.id)) tree.delete(page, { object: 'deleted_page', page: page.id });
  }
  tree.keepDeletedNode(key, omitFields(tree.getConflicts(key), [field]), describeChange(decision, 'deleted'));
}

function keepLiveSide(fieldDecision: FieldDecision): void {
  const { key, node, field, decision, context } = fieldDecision;
  const { live } = decision;
  if (live === undefined) removeNode(fieldDecision);
  else if (key.kind === 'page' && ['node', 'place', 'parent', 'pages'].includes(field)) restorePosition(fieldDecision);
  else if (node === undefined) storeDecision(fieldDecision, live);
  else if (field === 'slug')
    storeDecision(fieldDecision, { ...node, slug: context.tree.getFreeSlug(live.slug, node.parent, node.id) });
  else {
    const { [field]: _, ...units } = toUnits(node);
    const value = toUnits(live)[field];
    storeDecision(fieldDecision, {
      ...node,
      fields: toFields(key.kind, value === undefined ? units : { ...units, [field]: value }),
    });
  }
}

/** Deletes a node that is no longer live. @throws ApiError conflict if the change request has pages below it */
function removeNode(decision: FieldDecision): void {
  const { key, node, context } = decision;
  const children = key.kind === 'page' ? context.tree.getChildren(key.id) : [];
  if (children.length > 0) {
    const ids = children.map(({ id }) => id).join(', ');
    throw createFieldConflict(
      'keep',
      `would delete a page with subpages in this change request. Move or delete these pages first: ${ids}`,
    );
  }
  if (node !== undefined) context.tree.delete(node, describeChange(decision, 'deleted'));
}

/**
 * Moves a page to the position one side has, and restores deleted ancestors. Other pages keep their positions unless
 * they prevent the move.
 */
function restorePosition(fieldDecision: FieldDecision): void {
  const { decision, context } = fieldDecision;
  const { tree } = context;
  const [page, ...ancestors] = decision.chain;
  if (page === undefined)
    throw createFieldConflict(
      'keep',
      'is impossible because the parent page no longer exists. Move or delete the page',
    );
  const restore = (node: Node) => tree.put(toPlacedPage(tree, node), toUpdatedChange(node, context));
  for (const node of ancestors.toReversed()) if (tree.find('page', node.id) === undefined) restore(node);
  for (const node of ancestors) {
    if (canBePlaced(tree, page, decision.height)) break;
    if (tree.find('page', node.id)?.parent !== node.parent) restore(node);
  }
  storeDecision(fieldDecision, toPlacedPage(tree, page));
}

function canBePlaced(tree: ContentTree, { id, parent }: Node, height: number): boolean {
  const page = tree.find('page', parent);
  const ancestorIds = page === undefined ? [] : getChainIds(tree, page);
  return !ancestorIds.includes(id) && ancestorIds.length + height < maxPageDepth;
}

function toPlacedPage(tree: ContentTree, pageNode: Node): Node {
  const { parent, position } = pageNode;
  const present = tree.find('page', pageNode.id);
  const node = present ?? { ...pageNode, undecided: undefined, documentBase: undefined };
  const slug = node.slug === '' ? '' : tree.getFreeSlug(node.slug, parent, node.id);
  return { ...node, parent, position, slug };
}

function resolveTextConflict(fieldDecision: FieldDecision, keep: 'mine' | 'live'): void {
  const { node, decision, context } = fieldDecision;
  const { document } = context.prepared;
  const open = node?.undecided?.document?.text;
  if (node === undefined) return;
  if (node.document !== decision.document)
    throw createFieldConflict('field', 'must come before other changes to the text in the batch');
  if (document !== undefined) storeDecision(fieldDecision, { ...node, ...toDocumentState(node, document.stored) });
  else if (open?.markerLength !== undefined)
    throw createFieldConflict(
      'keep',
      'is impossible because the conflict markers are incomplete. Write the whole text instead',
    );
  else if (keep === 'mine') storeDecision(fieldDecision, { ...node, documentBase: open?.main });
  else {
    const { document: text = null, oid, links } = decision.live ?? {};
    storeDecision(fieldDecision, { ...node, document: text, oid, links, documentBase: undefined });
  }
}

/** A page's position is stored in two fields, which are resolved together. */
const getDecidedFields = (field: string): string[] =>
  ['place', 'parent'].includes(field) ? ['place', 'parent'] : [field];

const storeDecision = (decision: FieldDecision, node: Node): void =>
  decision.context.tree.put(markDecided(node, getDecidedFields(decision.field)), describeChange(decision, 'updated'));

const toUpdatedChange = (page: Node, context: ChangeContext): AppliedChange => ({
  object: 'updated_page',
  page: presentTouchedPage(page.id, context),
});

function describeChange({ key: { kind, id }, context }: FieldDecision, verb: 'updated' | 'deleted'): AppliedChange {
  if (kind === 'variable') return { object: 'updated_variables' };
  if (kind === 'file') return { object: `${verb}_file`, file: id };
  if (kind === 'reusable-content') return { object: `${verb}_reusable_content`, reusableContent: id };
  return verb === 'deleted'
    ? { object: 'deleted_page', page: id }
    : { object: 'updated_page', page: presentTouchedPage(id, context) };
}

type BlockRevert = Extract<ContentChange, { operation: 'revert_page' }> & { block: string[] };

/** A revert of single blocks with the page's current document and the one to revert to. */
interface BlockRevertRequest {
  change: BlockRevert;
  index: number;
  /** The hashes of the two documents. */
  now: string | null;
  before: string | null;
}

/**
 * Creates the documents of reverts of single blocks, once the contents of the pages are known. One more round trip if
 * there are such reverts.
 * @throws ApiError invalid
 */
export async function prepareBlockReverts(
  changes: PreparedChange[],
  tree: ContentTree,
  { db, organization }: { db: Database; organization: OrganizationId },
): Promise<PreparedChange[]> {
  const requests = changes.flatMap(({ change }, index) => findBlockReverts(change, index, tree));
  if (requests.length === 0) return changes;
  const texts = await findTexts(
    db,
    requests.flatMap(({ now, before }) => [now, before].filter((hash) => hash !== null)),
  );
  const getText = (hash: string | null): string => (hash === null ? '' : (texts.get(hash) ?? ''));
  const issues: Issue[] = [];
  const prepared = [...changes];
  for (const { change, index, now, before } of requests) {
    const path = `body.changes.${index}.block`;
    if (changes.slice(0, index).some((earlier) => writesDocument(earlier, change.page)))
      issues.push({ path, message: 'must come before other changes to the page in the batch' });
    const { markdown, unknown } = revertBlocks(getText(now), getText(before), change.block);
    for (const key of unknown) issues.push({ path, message: `must be a block of the page: ${key}` });
    const storedText = await toStoredText(organization, markdown);
    if (storedText.bytes > maxDocumentBytes) issues.push({ path, message: 'would make the page larger than 1 MiB' });
    prepared[index] = { change, document: { ...readText(markdown).metadata, stored: storedText } };
  }
  if (issues.length > 0) throw invalid(issues);
  return prepared;
}

function findBlockReverts(change: ContentChange, index: number, tree: ContentTree): BlockRevertRequest[] {
  if (change.operation !== 'revert_page' || change.block === undefined) return [];
  const page = tree.find('page', change.page);
  const target = tree.content.reverts.get(index);
  if (page === undefined || target === undefined) return [];
  return [{ change: { ...change, block: change.block }, index, now: page.document, before: target.document }];
}

const writesDocument = ({ change }: PreparedChange, page: string): boolean =>
  'page' in change && change.page === page && (change.operation === 'revert_page' || 'document' in change);
