import type { Node } from '@octavo/document';
import type { Page } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';
import type { Above, Presentation } from './present-page.ts';
import { below, presentPage } from './present-page.ts';

/** The pages below `parent`, in order, each with those below it. Linear in the number of pages. */
export function presentTree(nodes: Node[], at: { parent: string; above: Above }, to: Presentation): Page[] {
  const children = new Map<string, Node[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parent);
    if (siblings === undefined) children.set(node.parent, [node]);
    else siblings.push(node);
  }
  const present = (parent: string, above: Above): Page[] =>
    (children.get(parent) ?? [])
      .sort(byPlace)
      .map((node) =>
        presentPage(node, above, { children: present(node.id, below(above, pageFields(node), node.slug)), to }),
      );
  return present(at.parent, at.above);
}

const byPlace = (one: Node, other: Node): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;
