import type { RevisionPoint } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Page } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findAllNodes, findLevels } from '../nodes/find-nodes.ts';
import { pageFields } from '../nodes/stored-node.ts';
import type { Above, Presentation } from './present-page.ts';
import { below, presentPage } from './present-page.ts';

/** Where a tree begins, and how many levels below that are wanted: all where it is left out. */
interface Top {
  parent: string;
  above: Above;
  depth?: number | undefined;
}

/**
 * The statement that reads the pages of a tree down to `depth`, 0 being the top level. On the branch of a change request
 * pages may have lost their way to the root, so there all are read.
 */
export function readPages(point: RevisionPoint, { space, depth }: { space: string; depth?: number | undefined }) {
  const lineage = JSON.stringify(point.lineage);
  if (depth === undefined || point.branch !== space) return findAllNodes(lineage, 'page');
  return findLevels(lineage, { start: sql`SELECT ''`, depth: depth + 1 });
}

/**
 * The pages below `parent`, in order, each with those below it. Linear in the number of pages. In the tree of a whole
 * space, pages that an update left without a way to the root (their parent is gone, or below them) stand at its end.
 */
export function presentTree(nodes: Node[], at: Top, to: Presentation): Page[] {
  const children = Map.groupBy(nodes, (node) => node.parent);
  const placed = new Set<Node>();
  const present = (siblings: Node[], above: Above, depth = at.depth ?? Number.POSITIVE_INFINITY): Page[] =>
    siblings.sort(byPlace).flatMap((node) => {
      if (placed.has(node)) return [];
      placed.add(node);
      const inside = below(above, pageFields(node), node.slug);
      const pages = present(children.get(node.id) ?? [], inside, depth - 1);
      return depth < 0 ? [] : presentPage(node, above, { children: pages, to });
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
