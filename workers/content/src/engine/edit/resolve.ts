import type { Node } from '@octavo/merge';
import { fieldsOfUnits, maxPageDepth, unitsOf } from '@octavo/merge';
import type { AppliedChange } from '@octavo/schema';
import { decidedNode } from '@octavo/schema';
import type { Apply, ChangeContext } from './change.ts';
import { clash, decided, documentState, withoutFields } from './change.ts';
import { touched } from './page-changes.ts';
import { upFrom } from './place.ts';
import type { ContentTree, Decision } from './tree.ts';

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
