import type { Node } from '@octavo/document';
import type { Page } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';
import type { Above, Presentation } from './present-page.ts';
import { below, presentPage } from './present-page.ts';

/**
 * The pages below `parent`, in order, each with those below it. Linear in the number of pages. In the tree of a whole
 * space, pages that an update left without a way to the root (their parent is gone, or below them) stand at its end.
 */
export function presentTree(nodes: Node[], at: { parent: string; above: Above }, to: Presentation): Page[] {
  const children = Map.groupBy(nodes, (node) => node.parent);
  const placed = new Set<Node>();
  const present = (siblings: Node[], above: Above): Page[] =>
    siblings.sort(byPlace).flatMap((node) => {
      if (placed.has(node)) return [];
      placed.add(node);
      const inside = below(above, pageFields(node), node.slug);
      return presentPage(node, above, { children: present(children.get(node.id) ?? [], inside), to });
    });
  const pages = present(children.get(at.parent) ?? [], at.above);
  if (at.parent !== '' || placed.size === nodes.length) return pages;
  const ids = new Set(nodes.map((node) => node.id));
  const lost = nodes.filter((node) => !placed.has(node));
  const orphans = lost.filter((node) => !ids.has(node.parent));
  return [...pages, ...present(orphans, at.above), ...present(lost, at.above)];
}

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;
