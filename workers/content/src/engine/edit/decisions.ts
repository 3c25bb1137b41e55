import type { Database } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node, UndecidedField } from '@octavo/merge';
import { fieldsOfUnits, keepSide, maxPageDepth, nodeKey, revertBlocks, unitsOf } from '@octavo/merge';
import type { AppliedChange, ContentChange, Issue, OrganizationId, RevisionId } from '@octavo/schema';
import { decidedNode, invalid, maxDocumentBytes } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { findTexts, storeText } from '../store/documents.ts';
import {
  findAncestors,
  findChildren,
  findDescendants,
  findHeights,
  findNodes,
  findSlugs,
  selectIds,
  selectKeys,
} from '../store/lineage.ts';
import { nodesByKey } from '../store/nodes.ts';
import type { PreparedChange } from './documents.ts';
import { readText } from './documents.ts';
import type { ContentSource } from './load-content.ts';
import { touched } from './node-changes.ts';
import type { Apply, ChangeContext, ContentTree, Decision, LoadedContent } from './tree.ts';
import { clash, decided, documentState, upFrom, withoutFields } from './tree.ts';

/** One decision of a batch: about what, which side, and what was left of the field. */
interface WantedDecision {
  index: number;
  kind: Node['kind'];
  id: string;
  field: string;
  keep: 'mine' | 'live';
  open: UndecidedField;
  document: string | null;
}

interface Reading {
  db: Database;
  source: ContentSource;
  organization: OrganizationId;
}

interface Prepared {
  content: LoadedContent;
  changes: PreparedChange[];
}

/** Reads what the decisions of a batch are made from, and makes their documents; nothing where there are none. */
export async function loadDecisions(reading: Reading, content: LoadedContent, changes: PreparedChange[]) {
  const wanted = changes.flatMap(({ change }, index) => wantedDecisionsOf({ change, index }, content));
  if (wanted.length === 0) return { content, changes };
  const states = await loadStates(reading, content, wanted);
  return withDocuments(reading, { content: states, changes }, wanted);
}

function wantedDecisionsOf(
  { change, index }: Pick<PreparedChange, 'change'> & { index: number },
  content: LoadedContent,
): WantedDecision[] {
  if (change.operation !== 'resolve') return [];
  const key = decidedNode(change);
  const node = content.nodes.find((each) => nodeKey(each) === nodeKey(key));
  const undecided = node === undefined ? content.gone.get(nodeKey(key)) : node.undecided;
  const { field, keep } = change;
  const open = undecided !== undefined && Object.hasOwn(undecided, field) ? undecided[field] : undefined;
  return open === undefined ? [] : [{ ...key, index, field, keep, open, document: node?.document ?? null }];
}

/** The fields whose decision puts a page somewhere, or brings it back. */
const placing = ['node', 'place', 'parent', 'pages'];

async function loadStates(
  { db, source }: Reading,
  content: LoadedContent,
  wanted: WantedDecision[],
): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const pagesOf = (keep: WantedDecision['keep'], ...fields: string[]) =>
    wanted.filter((each) => each.kind === 'page' && each.keep === keep && fields.includes(each.field));
  const misplaced = wanted.filter(({ kind, field }) => kind === 'page' && field === 'parent');
  const before = Map.groupBy(pagesOf('mine', 'parent'), ({ open }) => open.before ?? '');
  const rows = await runBatch(db, {
    live: findNodes(baseLineage, selectKeys(wanted)),
    above: findAncestors(baseLineage, idsOf(pagesOf('live', ...placing))),
    below: findDescendants(lineage, idsOf(pagesOf('mine', 'pages'))),
    children: findChildren(lineage, idsOf(pagesOf('live', 'node', 'parent'))),
    heights: findHeights(lineage, { start: idsOf(misplaced), gone: selectIds([]) }),
    mine: [...before].map(([revision, pages]) => findAncestors(lineageOfRevision(revision), idsOf(pages))),
  });
  const liveNodes = nodesByKey(rows.live);
  const chains = { live: nodesByKey(rows.above), mine: nodesByKey(rows.mine) };
  const heights = new Map(rows.heights.map(({ id, height }) => [id, height]));
  const decisions = new Map(
    wanted.map((each): [number, Decision] => [
      each.index,
      {
        live: liveNodes.get(nodeKey(each)),
        document: each.document,
        chain: chainOf(each.id, chains[each.keep]),
        height: heights.get(each.id) ?? 0,
      },
    ]),
  );
  const known = {
    ...content,
    nodes: [...content.nodes, ...nodesByKey([...rows.below, ...rows.children]).values()],
    decisions,
  };
  return withSurroundings(db, source, known);
}

/** Where pages are to stand: which of them there are now, below which others, and who has their slugs. */
async function withSurroundings(db: Database, source: ContentSource, content: LoadedContent): Promise<LoadedContent> {
  const { lineage, baseLineage } = source;
  const chains = [...content.decisions.values()].flatMap(({ chain, live }) =>
    live === undefined ? chain : [live, ...chain],
  );
  const pages = chains.filter(({ kind }) => kind === 'page');
  if (pages.length === 0) return content;
  const places = JSON.stringify(pages.map(({ parent, slug }) => ({ parent, slug })));
  const { live, present, slugs } = await runBatch(db, {
    live: findNodes(baseLineage, selectKeys(pages)),
    present: findAncestors(lineage, selectIds(pages.map(({ id }) => id))),
    slugs: findSlugs(lineage, sql`SELECT value->>'parent', value->>'slug' FROM json_each(${places})`),
  });
  const liveNodes = nodesByKey(live);
  return {
    ...content,
    decisions: new Map(
      [...content.decisions].map(([index, decision]) => [
        index,
        { ...decision, chain: asLive(decision.chain, liveNodes) },
      ]),
    ),
    nodes: [...nodesByKey(present).values(), ...content.nodes],
    slugs: [...content.slugs, ...slugs],
  };
}

/** Pages in their places, with what else they are in the live content: what comes back there undoes no live work. */
const asLive = (chain: Node[], live: Map<string, Node>): Node[] =>
  chain.map((page) => ({ ...(live.get(nodeKey(page)) ?? page), parent: page.parent, position: page.position }));

const idsOf = (pages: WantedDecision[]): SQL => selectIds(pages.map(({ id }) => id));

const lineageOfRevision = (revision: RevisionId): SQL => sql`(SELECT lineage FROM revisions WHERE id = ${revision})`;

/** A page and those above it, as far as they are known. */
function chainOf(id: string, pages: Map<string, Node>): Node[] {
  const chain: Node[] = [];
  for (
    let page = pages.get(nodeKey({ kind: 'page', id }));
    page !== undefined && !chain.includes(page);
    page = pages.get(nodeKey({ kind: 'page', id: page.parent }))
  ) {
    chain.push(page);
  }
  return chain;
}

/** Makes the documents of decisions about conflict markers: of each conflict that is left, one side. */
async function withDocuments(
  { db, organization }: Reading,
  prepared: Prepared,
  wanted: WantedDecision[],
): Promise<Prepared> {
  const marked = wanted.flatMap(({ index, field, keep, open, document: hash }) => {
    const length = field === 'document' ? open.text?.markerLength : undefined;
    return length === undefined || hash === null ? [] : [{ index, keep, length, hash }];
  });
  const texts = await findTexts(
    db,
    marked.map(({ hash }) => hash),
  );
  const changes = [...prepared.changes];
  for (const { index, keep, length, hash } of marked) {
    const text = keepSide(texts.get(hash) ?? '', length, keep === 'mine' ? 'incoming' : 'main');
    const change = changes[index];
    if (text === undefined || change === undefined) continue;
    changes[index] = { ...change, document: { ...readText(text).said, stored: await storeText(organization, text) } };
  }
  return { ...prepared, changes };
}

/** A decision about one field: `node` is what the change request has, undefined where that deleted it. */
interface Deciding {
  key: Pick<Node, 'kind' | 'id'>;
  node: Node | undefined;
  field: string;
  decision: Decision;
  context: ChangeContext;
}

/** Decides one conflict that an update has left: what the change request says stays, or what is live comes instead. */
export const resolve: Apply<'resolve'> = (change, context) => {
  const { tree, index } = context;
  const key = decidedNode(change);
  const { field, keep } = change;
  const decision = tree.content.decisions.get(index);
  const node = tree.find(key.kind, key.id);
  // A page that an earlier decision of the batch has brought back.
  const isBack = field === 'node' && keep === 'live' && node !== undefined && decision?.live !== undefined;
  if (decision === undefined || (tree.undecided(key)?.[field] === undefined && !isBack))
    throw clash('field', `${field} of ${key.kind} ${key.id} is not left in conflict by an update`);
  const deciding = { key, field, decision, context, node };
  if (field === 'document') keepText(deciding, keep);
  else if (keep === 'live') keepLive(deciding);
  else if (field === 'parent') standAs(deciding);
  else keepMine(deciding);
};

function keepMine(deciding: Deciding): void {
  const { key, node, field, context } = deciding;
  const { tree } = context;
  if (node !== undefined) {
    put(deciding, node);
    return;
  }
  if (field === 'pages') {
    for (const page of tree.allBelow(key.id)) tree.delete(page, { object: 'deleted_page', page: page.id });
  }
  tree.stayGone(key, withoutFields(tree.undecided(key), [field]), told(deciding, 'deleted'));
}

function keepLive(deciding: Deciding): void {
  const { key, node, field, decision, context } = deciding;
  const { live } = decision;
  if (live === undefined) remove(deciding);
  else if (key.kind === 'page' && ['node', 'place', 'parent', 'pages'].includes(field)) standAs(deciding);
  else if (node === undefined) put(deciding, live);
  else if (field === 'slug') put(deciding, { ...node, slug: context.tree.freeSlug(live.slug, node.parent, node.id) });
  else {
    const { [field]: _, ...units } = unitsOf(node);
    const value = unitsOf(live)[field];
    put(deciding, {
      ...node,
      fields: fieldsOfUnits(key.kind, value === undefined ? units : { ...units, [field]: value }),
    });
  }
}

/** What is live no more goes, unless the change request has put pages below it. */
function remove(deciding: Deciding): void {
  const { key, node, context } = deciding;
  const below = key.kind === 'page' ? context.tree.children(key.id) : [];
  if (below.length > 0) {
    const ids = below.map(({ id }) => id).join(', ');
    throw clash('keep', `pages of this change request stand below it, move or delete them first: ${ids}`);
  }
  if (node !== undefined) context.tree.delete(node, told(deciding, 'deleted'));
}

/**
 * Puts a page where one side has it; whatever is gone above it comes back. Others keep the places that nobody has decided
 * about, but for those because of which it cannot stand there.
 */
function standAs(deciding: Deciding): void {
  const { decision, context } = deciding;
  const { tree } = context;
  const [page, ...above] = decision.chain;
  if (page === undefined) throw clash('keep', 'the page has no place any more: move or delete it');
  const bring = (each: Node) => tree.put(placed(tree, each), updated(each, context));
  for (const each of above.toReversed()) if (tree.find('page', each.id) === undefined) bring(each);
  for (const each of above) {
    if (canStand(tree, page, decision.height)) break;
    if (tree.find('page', each.id)?.parent !== each.parent) bring(each);
  }
  put(deciding, placed(tree, page));
}

function canStand(tree: ContentTree, { id, parent }: Node, height: number): boolean {
  const page = tree.find('page', parent);
  const above = page === undefined ? [] : upFrom(tree, page);
  return !above.includes(id) && above.length + height < maxPageDepth;
}

function placed(tree: ContentTree, wanted: Node): Node {
  const { parent, position } = wanted;
  const present = tree.find('page', wanted.id);
  const node = present ?? { ...wanted, undecided: undefined, documentBase: undefined };
  const slug = node.slug === '' ? '' : tree.freeSlug(node.slug, parent, node.id);
  return { ...node, parent, position, slug };
}

function keepText(deciding: Deciding, keep: 'mine' | 'live'): void {
  const { node, decision, context } = deciding;
  const { document } = context.prepared;
  const open = node?.undecided?.document?.text;
  if (node === undefined) return;
  if (node.document !== decision.document)
    throw clash('field', 'must be decided before what else the batch writes into the text');
  if (document !== undefined) put(deciding, { ...node, ...documentState(node, document.stored) });
  else if (open?.markerLength !== undefined)
    throw clash('keep', 'its conflict markers are not whole: write the text anew');
  else if (keep === 'mine') put(deciding, { ...node, documentBase: open?.main });
  else {
    const { document: text = null, oid, links } = decision.live ?? {};
    put(deciding, { ...node, document: text, oid, links, documentBase: undefined });
  }
}

/** A page whose place is decided is decided in both of the fields that say so. */
const decides = (field: string): string[] => (['place', 'parent'].includes(field) ? ['place', 'parent'] : [field]);

const put = (deciding: Deciding, node: Node): void =>
  deciding.context.tree.put(decided(node, decides(deciding.field)), told(deciding, 'updated'));

const updated = (page: Node, context: ChangeContext): AppliedChange => ({
  object: 'updated_page',
  page: touched(page.id, context),
});

function told({ key: { kind, id }, context }: Deciding, verb: 'updated' | 'deleted'): AppliedChange {
  if (kind === 'variable') return { object: 'updated_variables' };
  if (kind === 'file') return { object: `${verb}_file`, file: id };
  if (kind === 'reusable-content') return { object: `${verb}_reusable_content`, reusableContent: id };
  return verb === 'deleted'
    ? { object: 'deleted_page', page: id }
    : { object: 'updated_page', page: touched(id, context) };
}

type BlockRevert = Extract<ContentChange, { operation: 'revert_page' }> & { block: string[] };

/** A revert of single blocks, with the document that the page has and the one to go back to. */
interface WantedRevert {
  change: BlockRevert;
  index: number;
  /** The hashes of the two documents. */
  now: string | null;
  before: string | null;
}

/**
 * Makes the documents of reverts of single blocks, once it is known what the pages hold: one round trip more where there
 * are such reverts.
 * @throws ApiError invalid
 */
export async function prepareBlockReverts(
  changes: PreparedChange[],
  tree: ContentTree,
  { db, organization }: { db: Database; organization: OrganizationId },
): Promise<PreparedChange[]> {
  const wanted = changes.flatMap(({ change }, index) => blockRevertsOf(change, index, tree));
  if (wanted.length === 0) return changes;
  const texts = await findTexts(
    db,
    wanted.flatMap(({ now, before }) => [now, before].filter((hash) => hash !== null)),
  );
  const textOf = (hash: string | null): string => (hash === null ? '' : (texts.get(hash) ?? ''));
  const issues: Issue[] = [];
  const prepared = [...changes];
  for (const { change, index, now, before } of wanted) {
    const path = `body.changes.${index}.block`;
    if (changes.slice(0, index).some((earlier) => writesDocument(earlier, change.page)))
      issues.push({ path, message: 'must stand before what else the batch writes into the page' });
    const { markdown, unknown } = revertBlocks(textOf(now), textOf(before), change.block);
    for (const key of unknown) issues.push({ path, message: `names no block of the page: ${key}` });
    const stored = await storeText(organization, markdown);
    if (stored.bytes > maxDocumentBytes) issues.push({ path, message: 'the page would be larger than 1 MiB' });
    prepared[index] = { change, document: { ...readText(markdown).said, stored } };
  }
  if (issues.length > 0) throw invalid(issues);
  return prepared;
}

function blockRevertsOf(change: ContentChange, index: number, tree: ContentTree): WantedRevert[] {
  if (change.operation !== 'revert_page' || change.block === undefined) return [];
  const page = tree.find('page', change.page);
  const target = tree.content.reverts.get(index);
  if (page === undefined || target === undefined) return [];
  return [{ change: { ...change, block: change.block }, index, now: page.document, before: target.document }];
}

const writesDocument = ({ change }: PreparedChange, page: string): boolean =>
  'page' in change && change.page === page && (change.operation === 'revert_page' || 'document' in change);
