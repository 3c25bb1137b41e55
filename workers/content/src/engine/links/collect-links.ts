import { textKey } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { LinkStats, LinkStatus } from '@octavo/schema';
import type { PlacedLink, ResolvedLink } from './resolve-link.ts';

/** One target with the places that link to it, in order. */
export interface CollectedLink {
  /** Follows from what the link leads to alone: it is the same in each listing. */
  id: string;
  relation: PlacedLink['relation'];
  target: string;
  resolved: ResolvedLink;
  places: Node[];
  /** Whether the base of the change request lacks the target too. */
  isBrokenAtBase: boolean;
}

/** A link of a place with what it leads to, and whether the base lacks it as well. */
export interface FoundLink {
  place: Node;
  link: PlacedLink;
  resolved: ResolvedLink;
  isBrokenAtBase: boolean;
}

/** Each target once, in the order of their first places. A target that is depended on stands apart from a mere reference. */
export function collectLinks(links: FoundLink[]): CollectedLink[] {
  const collected = new Map<string, CollectedLink>();
  for (const { place, link, resolved, isBrokenAtBase } of links) {
    const key = `${link.relation} ${resolved.key}`;
    const known = collected.get(key);
    if (known === undefined) {
      const { relation, target } = link;
      collected.set(key, { id: textKey(key), relation, target, resolved, places: [place], isBrokenAtBase });
    } else if (known.places.at(-1) !== place) known.places.push(place);
  }
  return [...collected.values()];
}

export const statsOf = (links: CollectedLink[], inChangeRequest: boolean): LinkStats => {
  const broken = links.filter(({ resolved }) => resolved.status === 'broken');
  const changeRequest = broken.filter(({ isBrokenAtBase }) => !isBrokenAtBase).length;
  return {
    total: links.length,
    broken: { total: broken.length, ...(inChangeRequest ? { changeRequest } : {}) },
  };
};

export const withStatus = (links: CollectedLink[], status: LinkStatus | undefined): CollectedLink[] =>
  status === undefined ? links : links.filter(({ resolved }) => resolved.status === status);
