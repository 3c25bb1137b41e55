import { orderKeyAtEnd } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import { generateNKeysBetween } from 'fractional-indexing';
import { pageFields } from '../store/nodes.ts';
import { clash, fault } from './change.ts';
import type { ContentTree } from './tree.ts';

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
