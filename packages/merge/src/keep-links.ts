import { linksOf, withoutAnchor } from '@octavo/markdown';
import type { Node } from './node.ts';

/** What a target meant when its document was written. The targets are anybody's texts: none may reach what objects inherit. */
export const keptLink = (node: Node, target: string): string | undefined =>
  node.links !== undefined && Object.hasOwn(node.links, target) ? node.links[target] : undefined;

/** Of known links those that a text still names. */
export function keepLinks(markdown: string, links: Node['links']): Node['links'] {
  if (links === undefined) return undefined;
  const named = new Set(linksOf(markdown).map(({ target }) => withoutAnchor(target)));
  const kept = Object.entries(links).filter(([target]) => named.has(target));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
