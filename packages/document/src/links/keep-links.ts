import type { Node } from '../node.ts';
import { linksOf } from './links-of.ts';

/** A target without what follows a hash sign: links are kept by what they lead to, not by the place in it. */
export const withoutAnchor = (target: string): string => target.split('#', 1)[0] ?? '';

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
