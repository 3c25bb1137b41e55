import { createOrderKeyAtEnd } from '@octavo/db';
import { findFreeSlug, getUniqueSuffix } from '@octavo/markdown';
import type { Node, TreeNode, Undecided } from '@octavo/merge';
import { getNodeKey, hasMarkers, hasSameDecisions, isSameNode, maxPageDepth } from '@octavo/merge';
import type { AppliedChange, ContentChange } from '@octavo/schema';
import { ApiError, createId, invalid, notFound } from '@octavo/schema';
import { generateNKeysBetween } from 'fractional-indexing';
import { getPageFields } from '../store/nodes.ts';
import type { NodeWrite } from '../store/revisions.ts';
import type { PreparedChange, PreparedDocument, TextMetadata } from './documents.ts';

/** The content that a batch of changes reads before it starts. Nothing else is read while it is applied. */
export interface LoadedContent {
  /** Nodes named by the changes, ancestors of their parents, and nodes to be deleted. */
  nodes: Node[];
  /**
   * Slugs of siblings that are already in use. An entry without an id means that more numbered variants of its slug
   * exist than were read.
   */
  slugs: TreeNode[];
  /** Complete sets of siblings, for changes that put a page at an index among its siblings. */
  siblings: Map<string, Node[]>;
  /** Descendants of pages that are deleted, or moved below a deleted page. */
  descendants: Node[];
  /** Number of levels below a moved page, not counting pages that the batch itself moves or deletes. */
  heights: Map<string, number>;
  /** States to revert to, by the index of their change. */
  reverts: Map<number, Node | undefined>;
  /** The beginnings of the current texts of rewritten pages, by hash. */
  texts: Map<string, string>;
  /** The slugs of the organization's OpenAPI specifications that the changes name. */
  specs: Set<string>;
  /** The IDs of deleted files, by the source paths of new files. */
  formerFiles: Map<string, string>;
  /** Unresolved conflicts of deleted nodes, by key. */
  tombstones: Map<string, Undecided>;
  /** Data for `resolve` changes, by the index of the change. */
  decisions: Map<number, Decision>;
}

export interface Decision {
  /** The node in the live content that the change request is based on. */
  live: Node | undefined;
  /** The page at its new position, followed by its ancestors upwards; empty if it does not move. */
  chain: Node[];
  /** The hash of the document whose conflict markers are resolved. */
  document: string | null;
  /** Number of levels below a page that cannot stay at its position. */
  height: number;
}

/** The part of a space's content that a batch of changes edits in memory, before anything is written. */
export class ContentTree {
  readonly #loadedNodes: Map<string, Node>;
  readonly #nodes: Map<string, Node>;
  readonly #deleted = new Set<string>();
  readonly #names = new Set<string>();
  readonly #refs = new Map<string, string>();
  readonly #appliedChanges = new Map<string, AppliedChange>();
  /** Deleted nodes whose conflicts were resolved by keeping them deleted. */
  readonly #keptDeletions = new Map<string, NodeWrite>();
  readonly content: LoadedContent;
  readonly now: number;

  constructor(content: LoadedContent, now: number) {
    this.content = content;
    this.now = now;
    const all = [...content.descendants, ...[...content.siblings.values()].flat(), ...content.nodes];
    this.#loadedNodes = new Map(all.map((node) => [getNodeKey(node), node]));
    this.#nodes = new Map(this.#loadedNodes);
  }

  find(kind: Node['kind'], idOrRef: string): Node | undefined {
    return this.#nodes.get(getNodeKey({ kind, id: this.#refs.get(`${kind}:${idOrRef}`) ?? idOrRef }));
  }

  /** Returns a node as it was before the batch. */
  getLoaded(node: Node): Node | undefined {
    return this.#loadedNodes.get(getNodeKey(node));
  }

  get(kind: Node['kind'], idOrRef: string): Node {
    const node = this.find(kind, idOrRef);
    if (node === undefined) throw notFound(kind.replace('-', ' '));
    return node;
  }

  /** Assigns a `ref` to a new node; returns false if any node of the batch already has it. */
  assignRef(kind: Node['kind'], ref: string, id: string): boolean {
    if (this.#names.has(ref)) return false;
    this.#names.add(ref);
    this.#refs.set(`${kind}:${ref}`, id);
    return true;
  }

  /** Returns the new node that one of these refs names, of any kind. */
  findRef(...refs: string[]): { kind: 'page' | 'file' | 'reusable-content'; id: string } | undefined {
    for (const ref of refs) {
      for (const kind of ['page', 'file', 'reusable-content'] as const) {
        const id = this.#refs.get(`${kind}:${ref}`);
        if (id !== undefined) return { kind, id };
      }
    }
    return undefined;
  }

  put(node: Node, appliedChange?: AppliedChange): void {
    const key = getNodeKey(node);
    this.#nodes.set(key, node);
    this.#deleted.delete(key);
    this.#keptDeletions.delete(key);
    const loadedNode = this.#loadedNodes.get(key);
    if (loadedNode !== undefined && !isSameNode(loadedNode, node))
      this.#nodes.set(key, { ...node, updatedAt: this.now });
    const storedChange = this.#appliedChanges.get(key);
    if (appliedChange !== undefined && (storedChange === undefined || storedChange.object.startsWith('deleted_')))
      this.#appliedChanges.set(key, appliedChange);
  }

  delete(node: Node, appliedChange: AppliedChange | undefined): void {
    const key = getNodeKey(node);
    this.#nodes.delete(key);
    this.#deleted.add(key);
    if (!this.#loadedNodes.has(key)) this.#appliedChanges.delete(key);
    else if (appliedChange !== undefined) this.#appliedChanges.set(key, appliedChange);
  }

  /** Returns the unresolved conflicts of a node, deleted or not. */
  getConflicts(key: NodeWrite['key']): Undecided | undefined {
    const node = this.#nodes.get(getNodeKey(key));
    if (node !== undefined) return node.undecided;
    if (this.#deleted.has(getNodeKey(key))) return undefined;
    return (this.#keptDeletions.get(getNodeKey(key)) ?? { undecided: this.content.tombstones.get(getNodeKey(key)) })
      .undecided;
  }

  /** Keeps a deleted node deleted. `conflicts` are its conflicts that are still unresolved. */
  keepDeletedNode(key: NodeWrite['key'], conflicts: Undecided | undefined, appliedChange: AppliedChange): void {
    this.#keptDeletions.set(getNodeKey(key), { key, node: undefined, undecided: conflicts });
    this.#appliedChanges.set(getNodeKey(key), appliedChange);
  }

  /** Returns all loaded live nodes. */
  listNodes(): Node[] {
    return [...this.#nodes.values()];
  }

  /** Returns the current state of a stored node, or undefined if it was deleted, moved or renamed in the batch. */
  findUnmoved(storedNode: Node): Node | undefined {
    if (this.#deleted.has(getNodeKey(storedNode))) return undefined;
    const node = this.#nodes.get(getNodeKey(storedNode)) ?? storedNode;
    const hasSlug =
      node.parent === storedNode.parent &&
      node.slug === storedNode.slug &&
      node.fields.gitPath === storedNode.fields.gitPath;
    return hasSlug ? node : undefined;
  }

  isDeleted(id: string): boolean {
    return ['page', 'file', 'reusable-content'].some((kind) => this.#deleted.has(`${kind}:${id}`));
  }

  /** Returns the loaded live children of a page, in order. */
  getChildren(parent: string): Node[] {
    return [...this.#nodes.values()]
      .filter((node) => node.kind === 'page' && node.parent === parent)
      .sort((one, other) => compare(one.position, other.position) || compare(one.id, other.id));
  }

  /** Returns a page and its descendants, deepest first. */
  listWithDescendants(page: Node): Node[] {
    return [...this.findDescendants(page.id), page];
  }

  /** Returns the descendants of a page, which may itself be deleted, deepest first. */
  findDescendants(id: string): Node[] {
    const children = new Map<string, Node[]>();
    for (const node of this.#nodes.values()) {
      if (node.kind !== 'page') continue;
      const siblings = children.get(node.parent);
      if (siblings === undefined) children.set(node.parent, [node]);
      else siblings.push(node);
    }
    const descendants = new Set(children.get(id));
    for (const node of descendants) for (const child of children.get(node.id) ?? []) descendants.add(child);
    return [...descendants].filter((node) => node.id !== id).reverse();
  }

  /** Returns the slugs of the siblings of `id` under `parent` that were read. */
  getTakenSlugs(parent: string, id: string): Set<string> {
    const storedSiblings = this.content.slugs.filter((node) => {
      const isLoaded = this.#nodes.has(`page:${node.id}`) || this.#deleted.has(`page:${node.id}`);
      return node.parent === parent && node.id !== '' && !isLoaded;
    });
    const live = [...this.#nodes.values()].filter(
      (node) => node.kind === 'page' && node.parent === parent && node.id !== id,
    );
    return new Set(
      [...storedSiblings.map((node) => node.slug), ...live.map((node) => node.slug)].filter((slug) => slug !== ''),
    );
  }

  getFreeSlug(slug: string, parent: string, id: string): string {
    const isCrowded = this.content.slugs.some((node) => node.id === '' && node.parent === parent && node.slug === slug);
    return findFreeSlug(
      slug,
      this.getTakenSlugs(parent, id),
      isCrowded ? getUniqueSuffix(createId('page')) : undefined,
    );
  }

  /** Returns the nodes to be written: every node whose state differs from the loaded one. */
  getWrites(): NodeWrite[] {
    const changed = [...this.#nodes.values()].filter((node) => {
      const loadedNode = this.#loadedNodes.get(getNodeKey(node));
      return !isSameNode(loadedNode, node) || !hasSameDecisions(loadedNode, node);
    });
    const deletedNodes = [...this.#deleted].flatMap((key) => this.#loadedNodes.get(key) ?? []);
    return [
      ...changed.map((node) => ({ key: node, node, before: this.getLoaded(node) })),
      ...deletedNodes.map((key) => ({ key, node: undefined })),
      ...this.#keptDeletions.values(),
    ];
  }

  /**
   * Returns pages that may be deeper than before, with the number of levels of their descendants that the batch does
   * not move away.
   */
  findMovedPages(): { page: Node; height: number }[] {
    const { heights } = this.content;
    return [...this.#nodes.values()]
      .filter(({ kind }) => kind === 'page')
      .filter((node) => heights.has(node.id) || this.#loadedNodes.get(getNodeKey(node))?.parent !== node.parent)
      .map((page) => ({ page, height: heights.get(page.id) ?? 0 }));
  }

  /** Returns the files that the batch created and did not delete, in order. */
  getInsertedFiles(): Node[] {
    return this.getAppliedChanges().flatMap((change) =>
      change.object === 'created_file' ? (this.find('file', change.file) ?? []) : [],
    );
  }

  /** Returns one entry for each changed page, file or content, and a single entry for all changed variables. */
  getAppliedChanges(): AppliedChange[] {
    const all = [...this.#appliedChanges.values()];
    const firstVariables = all.findIndex(({ object }) => object === 'updated_variables');
    return all.filter(({ object }, index) => object !== 'updated_variables' || index === firstVariables);
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The context in which one change is applied. */
export interface ChangeContext {
  tree: ContentTree;
  /** The index of the change in its batch. */
  index: number;
  prepared: PreparedChange;
  getUrl: (page: string) => string;
  /**
   * Reads the metadata of a text by hash; the text is a current or new one of a page in the batch. Between conflict
   * markers of `markerLength`, only the change request's side counts.
   */
  readMetadata: (hash: string, markerLength: number | undefined) => TextMetadata | undefined;
}

type Change<Operation extends ContentChange['operation']> = Extract<ContentChange, { operation: Operation }>;
export type Apply<Operation extends ContentChange['operation']> = (
  change: Change<Operation>,
  context: ChangeContext,
) => void;

/** Creates an error for an invalid field of a change. */
export const createFieldError = (path: string, message: string): ApiError => invalid([{ path, message }]);

/** Creates an error for a conflict with the current content. */
export const createFieldConflict = (path: string, message: string): ApiError =>
  new ApiError('conflict', message, [{ path, message }]);

/** Returns the conflicts that remain once these fields are resolved. */
export function omitFields(conflicts: Undecided | undefined, fields: readonly string[]): Undecided | undefined {
  const remaining = Object.entries(conflicts ?? {}).filter(([field]) => !fields.includes(field));
  return remaining.length === 0 ? undefined : Object.fromEntries(remaining);
}

/** Marks the conflicts of these fields as resolved. Setting a field to any value resolves its conflict. */
export const markDecided = (node: Node, fields: readonly string[]): Node =>
  node.undecided === undefined ? node : { ...node, undecided: omitFields(node.undecided, fields) };

/**
 * Returns the document fields of a node with a new text. Conflicts that an update left as markers stay unresolved while
 * a marker remains in the text.
 */
export function toDocumentState(
  node: Node,
  storedText: PreparedDocument['stored'],
): Pick<Node, 'document' | 'oid' | 'undecided' | 'documentBase'> {
  const { undecided, documentBase } = node;
  const state = { document: storedText?.hash ?? null, oid: storedText?.oid };
  const open = undecided?.document?.text;
  const { markerLength } = open ?? {};
  const isMarked = markerLength !== undefined && storedText !== null && hasMarkers(storedText.markdown, markerLength);
  if (open === undefined || isMarked) return { ...state, undecided, documentBase };
  return { ...state, undecided: markDecided(node, ['document']).undecided, documentBase: open.main };
}

/** Returns the id of the page that `parentId` names ('' is the root), after checking the nesting rules. */
export function resolveParent(tree: ContentTree, parentId: string | null | undefined, movedNode?: Node): string {
  if (parentId == null) return '';
  const parent = tree.find('page', parentId);
  if (parent === undefined) throw createFieldError('into', 'must be an existing page');
  const { type } = getPageFields(parent);
  if (type === 'link' || type === 'computed')
    throw createFieldError('into', `is a ${type}, which cannot have subpages`);
  const ancestorIds = getChainIds(tree, parent);
  if (movedNode !== undefined && ancestorIds.includes(movedNode.id))
    throw createFieldError('into', 'must not be the page itself or one of its subpages');
  if (ancestorIds.length >= maxPageDepth)
    throw createFieldError('into', `is nested too deep. Pages can have at most ${maxPageDepth} levels`);
  return parent.id;
}

/**
 * Returns the ids of a page and its ancestors. An update can leave two pages below each other, so the walk is bounded.
 */
export function getChainIds(tree: ContentTree, page: Node): string[] {
  const ids: string[] = [];
  for (
    let node: Node | undefined = page;
    node !== undefined && ids.length <= maxPageDepth;
    node = tree.find('page', node.parent)
  ) {
    ids.push(node.id);
  }
  return ids;
}

/** Rejects a batch after which pages would be nested too deep. Pages below the moved pages are counted too. */
export function rejectDeepPages(tree: ContentTree): void {
  for (const { page, height } of tree.findMovedPages()) {
    const ancestorIds = getChainIds(tree, page);
    const isCycle = new Set(ancestorIds).size < ancestorIds.length;
    if (isCycle || page.parent === '' || ancestorIds.length + height <= maxPageDepth) continue;
    throw createFieldError(
      'body.changes',
      `would nest pages deeper than ${maxPageDepth} levels, below the page ${page.id}`,
    );
  }
}

/**
 * Returns the position for index `at` among the children of `parent`; the end if `at` is absent. The page `movedNode`
 * is not counted.
 */
export function getPosition(
  tree: ContentTree,
  parent: string,
  { at, movedId }: { at: number | undefined; movedId?: string },
): string {
  if (at === undefined) return createOrderKeyAtEnd(tree.now);
  const siblings = tree.getChildren(parent).filter((page) => page.id !== movedId);
  const before = siblings[at - 1];
  if (at > siblings.length) throw createFieldError('at', `must be at most ${siblings.length}, the number of siblings`);
  if (at === siblings.length) return createOrderKeyAtEnd(tree.now);
  const low = before?.position ?? null;
  const tied = siblings.slice(at).filter((page) => low !== null && page.position <= low);
  const high = siblings[at + tied.length]?.position ?? null;
  const [position = createOrderKeyAtEnd(tree.now), ...movedPositions] = generateNKeysBetween(
    low,
    high,
    tied.length + 1,
  );
  tied.forEach((page, index) => {
    tree.put({ ...page, position: movedPositions[index] ?? page.position });
  });
  return position;
}

/** Checks that the slug in a change is free among the siblings, and returns it. @throws ApiError conflict */
export function claimSlug(tree: ContentTree, slug: string, { parent, id }: { parent: string; id: string }): string {
  if (tree.getTakenSlugs(parent, id).has(slug)) throw createFieldConflict('slug', `${slug} is used by a sibling`);
  return slug;
}
