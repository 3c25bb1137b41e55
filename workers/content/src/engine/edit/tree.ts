import { orderKeyAtEnd } from '@octavo/db';
import { nextFreeSlug, uniqueSuffix } from '@octavo/markdown';
import type { Node, PlacedNode, Undecided } from '@octavo/merge';
import { hasMarkers, maxPageDepth, nodeKey, sameDecisions, sameNode } from '@octavo/merge';
import type { AppliedChange, ContentChange } from '@octavo/schema';
import { ApiError, invalid, newId, notFound } from '@octavo/schema';
import { generateNKeysBetween } from 'fractional-indexing';
import { pageFields } from '../store/nodes.ts';
import type { NodeWrite } from '../store/revisions.ts';
import type { PreparedChange, PreparedDocument, Said } from './documents.ts';

/** What a batch of changes reads before it starts; nothing else is looked up while it is applied. */
export interface LoadedContent {
  /** Every node that the changes name, their parents' ancestors, what they delete. */
  nodes: Node[];
  /** Slugs that siblings have taken; without an id one that has more forms than are listed. */
  slugs: PlacedNode[];
  /** Whole sets of siblings, for changes that name a place among them. */
  siblings: Map<string, Node[]>;
  /** Pages below one that is to be deleted, or that goes below such a one. */
  descendants: Node[];
  /** How many levels hang below a page that is to be moved, without those that the batch itself moves or deletes. */
  heights: Map<string, number>;
  /** States to go back to, by the index of their change. */
  reverts: Map<number, Node | undefined>;
  /** The beginnings of the texts that rewritten pages have, by hash. */
  texts: Map<string, string>;
  /** The slugs of the organization's OpenAPI specifications, of those that the changes name. */
  specs: Set<string>;
  /** What is undecided of nodes that are deleted, by their keys. */
  gone: Map<string, Undecided>;
  /** What decisions are made from, by the index of their change. */
  decisions: Map<number, Decision>;
}

export interface Decision {
  /** The node in the live content that the change request stands on. */
  live: Node | undefined;
  /** The page where it is to stand, and those above it, upwards; none where it stays in its place. */
  chain: Node[];
  /** The document that one of its sides is kept of. */
  document: string | null;
  /** How many levels hang below a page that may not stand where it is. */
  height: number;
}

/** The part of a space's content that a batch of changes works on, in memory, before anything is written. */
export class ContentTree {
  readonly #loaded: Map<string, Node>;
  readonly #nodes: Map<string, Node>;
  readonly #deleted = new Set<string>();
  readonly #names = new Set<string>();
  readonly #refs = new Map<string, string>();
  readonly #applied = new Map<string, AppliedChange>();
  /** Nodes that stay deleted, of which something was decided. */
  readonly #stayGone = new Map<string, NodeWrite>();
  readonly content: LoadedContent;
  readonly now: number;

  constructor(content: LoadedContent, now: number) {
    this.content = content;
    this.now = now;
    const all = [...content.descendants, ...[...content.siblings.values()].flat(), ...content.nodes];
    this.#loaded = new Map(all.map((node) => [nodeKey(node), node]));
    this.#nodes = new Map(this.#loaded);
  }

  find(kind: Node['kind'], idOrRef: string): Node | undefined {
    return this.#nodes.get(nodeKey({ kind, id: this.#refs.get(`${kind}:${idOrRef}`) ?? idOrRef }));
  }

  /** A node as it was before the batch. */
  loaded(node: Node): Node | undefined {
    return this.#loaded.get(nodeKey(node));
  }

  get(kind: Node['kind'], idOrRef: string): Node {
    const node = this.find(kind, idOrRef);
    if (node === undefined) throw notFound(kind.replace('-', ' '));
    return node;
  }

  /** Gives a new node the name that it has within the batch; false where another, of whatever kind, has that name. */
  name(kind: Node['kind'], ref: string, id: string): boolean {
    if (this.#names.has(ref)) return false;
    this.#names.add(ref);
    this.#refs.set(`${kind}:${ref}`, id);
    return true;
  }

  /** What one of these references names, of any kind. */
  named(...refs: string[]): { kind: 'page' | 'file' | 'reusable-content'; id: string } | undefined {
    for (const ref of refs) {
      for (const kind of ['page', 'file', 'reusable-content'] as const) {
        const id = this.#refs.get(`${kind}:${ref}`);
        if (id !== undefined) return { kind, id };
      }
    }
    return undefined;
  }

  put(node: Node, applied?: AppliedChange): void {
    const key = nodeKey(node);
    this.#nodes.set(key, node);
    this.#deleted.delete(key);
    this.#stayGone.delete(key);
    const kept = this.#loaded.get(key);
    if (kept !== undefined && !sameNode(kept, node)) this.#nodes.set(key, { ...node, updatedAt: this.now });
    const told = this.#applied.get(key);
    if (applied !== undefined && (told === undefined || told.object.startsWith('deleted_')))
      this.#applied.set(key, applied);
  }

  delete(node: Node, applied: AppliedChange | undefined): void {
    const key = nodeKey(node);
    this.#nodes.delete(key);
    this.#deleted.add(key);
    if (!this.#loaded.has(key)) this.#applied.delete(key);
    else if (applied !== undefined) this.#applied.set(key, applied);
  }

  /** What is undecided of a node, deleted or not. */
  undecided(key: NodeWrite['key']): Undecided | undefined {
    const node = this.#nodes.get(nodeKey(key));
    if (node !== undefined) return node.undecided;
    if (this.#deleted.has(nodeKey(key))) return undefined;
    return (this.#stayGone.get(nodeKey(key)) ?? { undecided: this.content.gone.get(nodeKey(key)) }).undecided;
  }

  /** Leaves a deleted node so, with no more than this to be decided of it. */
  stayGone(key: NodeWrite['key'], undecided: Undecided | undefined, applied: AppliedChange): void {
    this.#stayGone.set(nodeKey(key), { key, node: undefined, undecided });
    this.#applied.set(nodeKey(key), applied);
  }

  /** All live nodes that are known. */
  nodes(): Node[] {
    return [...this.#nodes.values()];
  }

  /** A stored node as it is now, unless it was deleted or is found at another place by now. */
  unmoved(stored: Node): Node | undefined {
    if (this.#deleted.has(nodeKey(stored))) return undefined;
    const node = this.#nodes.get(nodeKey(stored)) ?? stored;
    const isThere =
      node.parent === stored.parent && node.slug === stored.slug && node.fields.gitPath === stored.fields.gitPath;
    return isThere ? node : undefined;
  }

  isDeleted(id: string): boolean {
    return ['page', 'file', 'reusable-content'].some((kind) => this.#deleted.has(`${kind}:${id}`));
  }

  /** The live pages directly below a page, as far as they are known. */
  children(parent: string): Node[] {
    return [...this.#nodes.values()]
      .filter((node) => node.kind === 'page' && node.parent === parent)
      .sort((one, other) => compare(one.position, other.position) || compare(one.id, other.id));
  }

  /** A page and all that is below it, those below first. */
  withAllBelow(page: Node): Node[] {
    return [...this.allBelow(page.id), page];
  }

  /** All that is below a page, also one that is deleted; what is lowest comes first. */
  allBelow(id: string): Node[] {
    const children = new Map<string, Node[]>();
    for (const node of this.#nodes.values()) {
      if (node.kind !== 'page') continue;
      const siblings = children.get(node.parent);
      if (siblings === undefined) children.set(node.parent, [node]);
      else siblings.push(node);
    }
    const found = new Set(children.get(id));
    for (const each of found) for (const child of children.get(each.id) ?? []) found.add(child);
    return [...found].filter((each) => each.id !== id).reverse();
  }

  /** The slugs that siblings of `id` under `parent` have taken, as far as they were looked up. */
  takenSlugs(parent: string, id: string): Set<string> {
    const stored = this.content.slugs.filter((place) => {
      const known = this.#nodes.has(`page:${place.id}`) || this.#deleted.has(`page:${place.id}`);
      return place.parent === parent && place.id !== '' && !known;
    });
    const live = [...this.#nodes.values()].filter(
      (node) => node.kind === 'page' && node.parent === parent && node.id !== id,
    );
    return new Set(
      [...stored.map((place) => place.slug), ...live.map((node) => node.slug)].filter((slug) => slug !== ''),
    );
  }

  freeSlug(slug: string, parent: string, id: string): string {
    const isCrowded = this.content.slugs.some(
      (place) => place.id === '' && place.parent === parent && place.slug === slug,
    );
    return nextFreeSlug(slug, this.takenSlugs(parent, id), isCrowded ? uniqueSuffix(newId('page')) : undefined);
  }

  /** What is to be written: every node whose state differs from what was loaded. */
  writes(): NodeWrite[] {
    const changed = [...this.#nodes.values()].filter((node) => {
      const loaded = this.#loaded.get(nodeKey(node));
      return !sameNode(loaded, node) || !sameDecisions(loaded, node);
    });
    const gone = [...this.#deleted].flatMap((key) => this.#loaded.get(key) ?? []);
    return [
      ...changed.map((node) => ({ key: node, node })),
      ...gone.map((key) => ({ key, node: undefined })),
      ...this.#stayGone.values(),
    ];
  }

  /** Pages that may stand deeper than before, with the number of levels below them that the batch leaves in place. */
  shifted(): { page: Node; height: number }[] {
    const { heights } = this.content;
    return [...this.#nodes.values()]
      .filter(({ kind }) => kind === 'page')
      .filter((node) => heights.has(node.id) || this.#loaded.get(nodeKey(node))?.parent !== node.parent)
      .map((page) => ({ page, height: heights.get(page.id) ?? 0 }));
  }

  /** The files that the batch made and left, in order. */
  insertedFiles(): Node[] {
    return this.applied().flatMap((change) =>
      change.object === 'created_file' ? (this.find('file', change.file) ?? []) : [],
    );
  }

  /** One entry for each page, file or content that was touched; the variables share one. */
  applied(): AppliedChange[] {
    const all = [...this.#applied.values()];
    const firstVariables = all.findIndex(({ object }) => object === 'updated_variables');
    return all.filter(({ object }, index) => object !== 'updated_variables' || index === firstVariables);
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What one change is applied with. */
export interface ChangeContext {
  tree: ContentTree;
  /** The change's index in its batch. */
  index: number;
  prepared: PreparedChange;
  urlOf: (page: string) => string;
  /**
   * What a text says of its page, by the text's hash: one that a page of the batch has or gets. Between markers of that
   * length only the part of the change request says something.
   */
  saidBy: (hash: string, markerLength: number | undefined) => Said | undefined;
}

type Change<Operation extends ContentChange['operation']> = Extract<ContentChange, { operation: Operation }>;
export type Apply<Operation extends ContentChange['operation']> = (
  change: Change<Operation>,
  context: ChangeContext,
) => void;

/** A fault of one field of a change. */
export const fault = (path: string, message: string): ApiError => invalid([{ path, message }]);

/** A clash with what is there now. */
export const clash = (path: string, message: string): ApiError =>
  new ApiError('conflict', message, [{ path, message }]);

/** What is left to be decided once these fields are. */
export function withoutFields(undecided: Undecided | undefined, fields: readonly string[]): Undecided | undefined {
  const left = Object.entries(undecided ?? {}).filter(([field]) => !fields.includes(field));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A node of which these fields are decided as they are: whoever sets a field, to whatever value, decides it. */
export const decided = (node: Node, fields: readonly string[]): Node =>
  node.undecided === undefined ? node : { ...node, undecided: withoutFields(node.undecided, fields) };

/** A node's new document. What an update left with conflict markers stays undecided while one of those stands in it. */
export function documentState(
  node: Node,
  stored: PreparedDocument['stored'],
): Pick<Node, 'document' | 'oid' | 'undecided' | 'documentBase'> {
  const { undecided, documentBase } = node;
  const state = { document: stored?.hash ?? null, oid: stored?.oid };
  const open = undecided?.document?.text;
  const { markerLength } = open ?? {};
  const isMarked = markerLength !== undefined && stored !== null && hasMarkers(stored.markdown, markerLength);
  if (open === undefined || isMarked) return { ...state, undecided, documentBase };
  return { ...state, undecided: decided(node, ['document']).undecided, documentBase: open.main };
}

/** The id of the page that `into` names ('' is the root), after the rules of nesting. */
export function parentFor(tree: ContentTree, into: string | null | undefined, moving?: Node): string {
  if (into == null) return '';
  const parent = tree.find('page', into);
  if (parent === undefined) throw fault('into', 'names no page');
  const { type } = pageFields(parent);
  if (type === 'link' || type === 'computed') throw fault('into', `is a ${type}, which holds no pages`);
  const above = upFrom(tree, parent);
  if (moving !== undefined && above.includes(moving.id)) throw fault('into', 'is the page itself or below it');
  if (above.length >= maxPageDepth) throw fault('into', `is nested too deep: pages nest ${maxPageDepth} levels`);
  return parent.id;
}

/** A page and those above it, by id. An update may leave two pages below each other, so the way up may have no end. */
export function upFrom(tree: ContentTree, page: Node): string[] {
  const ids: string[] = [];
  for (
    let each: Node | undefined = page;
    each !== undefined && ids.length <= maxPageDepth;
    each = tree.find('page', each.parent)
  ) {
    ids.push(each.id);
  }
  return ids;
}

/** Refuses a batch after which pages would nest too deep, counting what hangs below the pages that it moves. */
export function refuseTooDeep(tree: ContentTree): void {
  for (const { page, height } of tree.shifted()) {
    const above = upFrom(tree, page);
    const hasNoEnd = new Set(above).size < above.length;
    if (hasNoEnd || page.parent === '' || above.length + height <= maxPageDepth) continue;
    throw fault('body.changes', `would put pages deeper than ${maxPageDepth} levels, below the page ${page.id}`);
  }
}

/** The position for index `at` among the children of `parent` (at the end where left out). `moving` does not count. */
export function positionFor(
  tree: ContentTree,
  parent: string,
  { at, moving }: { at: number | undefined; moving?: string },
): string {
  if (at === undefined) return orderKeyAtEnd(tree.now);
  const siblings = tree.children(parent).filter((page) => page.id !== moving);
  const before = siblings[at - 1];
  if (at > siblings.length) throw fault('at', `is beyond the end: there are ${siblings.length} siblings`);
  if (at === siblings.length) return orderKeyAtEnd(tree.now);
  const low = before?.position ?? null;
  const tied = siblings.slice(at).filter((page) => low !== null && page.position <= low);
  const high = siblings[at + tied.length]?.position ?? null;
  const [position = orderKeyAtEnd(tree.now), ...moved] = generateNKeysBetween(low, high, tied.length + 1);
  tied.forEach((page, index) => {
    tree.put({ ...page, position: moved[index] ?? page.position });
  });
  return position;
}

/** A slug that the caller asked for, which must be free among the siblings. */
export function claimSlug(tree: ContentTree, slug: string, { parent, id }: { parent: string; id: string }): string {
  if (tree.takenSlugs(parent, id).has(slug)) throw clash('slug', `the slug ${slug} is taken by a sibling`);
  return slug;
}
