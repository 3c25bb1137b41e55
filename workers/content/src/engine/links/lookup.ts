import type { Node } from '@octavo/merge';

/**
 * One way to find the node that a link leads to. `slug` begins at the page `from` ('' is the root), goes `up` some
 * levels and then down by slugs; without slugs it is that page itself, at the root the first page of all.
 */
export type Lookup =
  | { by: 'id'; kind: LinkedKind; id: string }
  | { by: 'git'; path: string }
  | { by: 'slug'; from: string; up: number; slugs: string[] };

/** The kinds of nodes that links lead to. */
export type LinkedKind = Exclude<Node['kind'], 'variable'>;

export const lookupKey = (lookup: Lookup): string => JSON.stringify(Object.values(lookup));

/** A node by an id that a link was resolved to when it was written. */
export const lookupId = (id: string): Lookup => ({ by: 'id', kind: kindOf(id), id });

function kindOf(id: string): LinkedKind {
  if (id.startsWith('file_')) return 'file';
  return id.startsWith('rc_') ? 'reusable-content' : 'page';
}

/** Of the nodes that come from one file the one that links mean: a page first, then the one with the least id. */
export const firstOf = (nodes: Node[]): Node | undefined =>
  nodes.toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))[0];

const rank = (node: Node): number => (node.kind === 'page' ? 0 : 1);
