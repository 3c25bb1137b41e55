import { getChildren, type SpacePages } from '../space/tree-rows.ts';
import type { ChangedItem } from './changed-items.ts';

/** Returns the ids of the pages of a tree from top to bottom. */
function listIds(pages: SpacePages['roots']): string[] {
  return pages.flatMap((page) => [page.id, ...listIds(getChildren(page))]);
}

type Tree = Pick<SpacePages, 'roots'>;

/**
 * Sorts changed pages in the order of the tree, before files and other items. A deleted page follows the page that it
 * followed in the former tree.
 */
export function orderItems(items: ChangedItem[], tree: Tree, former: Tree | undefined): ChangedItem[] {
  const ids = listIds(tree.roots);
  const existing = new Set(ids);
  const deletedAfter = new Map<string, string[]>();
  let previous = '';
  for (const id of listIds(former?.roots ?? []))
    if (existing.has(id)) previous = id;
    else deletedAfter.set(previous, [...(deletedAfter.get(previous) ?? []), id]);
  const ordered = ['', ...ids].flatMap((id) => [id, ...(deletedAfter.get(id) ?? [])]);
  const ranks = new Map(ordered.map((id, rank) => [id, rank]));
  const getRank = ({ id }: ChangedItem): number => ranks.get(id) ?? ordered.length;
  return items.toSorted((one, other) => getRank(one) - getRank(other));
}

/** Describes the position of a page in its parent. Returns undefined if the tree does not have the page. */
export function describePosition(
  pages: Pick<SpacePages, 'roots' | 'parents'> | undefined,
  id: string,
): string | undefined {
  const parent = pages?.parents.get(id);
  const siblings = (parent === undefined ? pages?.roots : getChildren(parent)) ?? [];
  const index = siblings.findIndex((page) => page.id === id);
  if (index === -1) return undefined;
  const previous = siblings[index - 1];
  return previous === undefined ? 'to the first position' : `after ${previous.title}`;
}
