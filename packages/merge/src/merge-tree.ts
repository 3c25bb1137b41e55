import { findFreeSlug, getUniqueSuffix } from '@octavo/markdown';
import type { FieldConflict } from './merge-node.ts';
import { getNodeKey, maxPageDepth, type Node } from './node.ts';

/** A node of main, with the fields that the rules of the tree need. */
export interface TreeNode {
  id: string;
  parent: string;
  slug: string;
}

/** The part of main around the merged nodes that the rules need. The rest of main cannot be affected. */
export interface TreeSurroundings {
  /** The parents of merged pages on both sides with all their ancestors, as they are in main. */
  ancestors: TreeNode[];
  /** The children in main of pages that the merge deletes. */
  children: TreeNode[];
  /**
   * Siblings in main that have the slug of a merged page, or this slug with a number. An entry without an id represents
   * all further siblings whose slug has a number.
   */
  siblings: TreeNode[];
  /**
   * The depth of the subtree in main below each page that the merge moves, without pages that the merge itself moves or
   * deletes.
   */
  heights: ReadonlyMap<string, number>;
}

/** Merged nodes by key, with the conflicts found so far. */
export type MergedNodes = Map<string, { before: Node | undefined; node: Node | undefined; clashes: FieldConflict[] }>;

/**
 * Applies the rules of the tree to merged pages: a page is never below itself or below a deleted page. If two siblings
 * have the same slug, the incoming one gets the next free suffix. Changes `merged` in place: adds conflicts and
 * replaces slugs.
 */
export function mergeTree(merged: MergedNodes, main: TreeSurroundings): void {
  const parentInMain = new Map([...main.ancestors, ...main.children].map((node) => [node.id, node.parent]));
  const getParent = (id: string): string | undefined => {
    const entry = merged.get(getNodeKey({ kind: 'page', id }));
    return entry === undefined ? parentInMain.get(id) : entry.node?.parent;
  };
  for (const entry of merged.values()) {
    const { node } = entry;
    if (node?.kind !== 'page' || node.parent === '') continue;
    const clash = checkAncestors(node, getParent, main.heights.get(node.id) ?? 0);
    if (clash !== undefined) entry.clashes.push(clash);
  }
  for (const child of main.children) {
    const parent = merged.get(getNodeKey({ kind: 'page', id: child.parent }));
    const isMerged = merged.has(getNodeKey({ kind: 'page', id: child.id }));
    if (parent === undefined || parent.node !== undefined || isMerged) continue;
    if (parent.clashes.some(({ field }) => field === 'pages')) continue;
    parent.clashes.push({
      field: 'pages',
      message: 'deleted in the change request, but the live content has subpages',
    });
  }
  separateSlugs(merged, main.siblings);
}

/**
 * Follows the parents to the root. A chain that returns to the page, ends before the root or is too long is a conflict.
 */
function checkAncestors(
  page: Node,
  getParent: (id: string) => string | undefined,
  height: number,
): FieldConflict | undefined {
  const visited = new Set([page.id]);
  for (let id: string | undefined = page.parent; id !== ''; id = getParent(id)) {
    if (id === undefined || getParent(id) === undefined) return { field: 'parent', message: 'its parent was deleted' };
    if (visited.has(id)) return { field: 'parent', message: 'two moves made the pages subpages of each other' };
    if (visited.size + height >= maxPageDepth)
      return { field: 'parent', message: `pages can be nested at most ${maxPageDepth} levels deep` };
    visited.add(id);
  }
  return undefined;
}

/**
 * Gives another slug to pages whose slug belongs to a sibling. The pages that keep their slugs are determined first, so
 * that the result does not depend on the order of the pages.
 */
function separateSlugs(merged: MergedNodes, siblings: TreeNode[]): void {
  const owners = new Map<string, Map<string, string>>();
  const claim = (parent: string, slug: string, id: string): boolean => {
    const slugs = owners.get(parent) ?? new Map<string, string>();
    owners.set(parent, slugs);
    if (!slugs.has(slug)) slugs.set(slug, id);
    return slugs.get(slug) === id;
  };
  for (const { id, parent, slug } of siblings) {
    if (id !== '' && !merged.has(getNodeKey({ kind: 'page', id }))) claim(parent, slug, id);
  }
  const pages = [...merged.values()].filter((entry) => entry.node?.kind === 'page' && entry.node.slug !== '');
  const keepsParentAndSlug = ({ before, node }: (typeof pages)[number]) =>
    before?.parent === node?.parent && before?.slug === node?.slug;
  const claimants = [...pages.filter(keepsParentAndSlug), ...pages.filter((entry) => !keepsParentAndSlug(entry))];
  const clashing = claimants.filter(({ node }) => node !== undefined && !claim(node.parent, node.slug, node.id));
  for (const entry of clashing) {
    const { node } = entry;
    if (node === undefined) continue;
    const isCrowded = siblings.some((each) => each.id === '' && each.parent === node.parent && each.slug === node.slug);
    const unique = isCrowded ? getUniqueSuffix(node.id) : undefined;
    const slug = findFreeSlug(node.slug, owners.get(node.parent) ?? new Map(), unique);
    entry.node = { ...node, slug };
    claim(node.parent, slug, node.id);
  }
}
