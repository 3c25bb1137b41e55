import { textKey } from '@octavo/markdown';
import { GitSource, maxSourceLinks, maxSourceLinksLength } from '@octavo/schema';

type Links = Readonly<Record<string, string>>;

/** Returns an ID of a text's address meanings, 14 characters long. Equal meanings have equal IDs in any order. */
export const idOfLinks = (links: Links): string =>
  textKey(JSON.stringify(Object.entries(links).sort(([one], [other]) => (one < other ? -1 : 1))));

/** Returns the address meanings that a space stores: the first ones, up to the limit of the contract. */
export function keptLinks(links: Links): Record<string, string> {
  const kept: [string, string][] = [];
  let length = 0;
  for (const [address, path] of Object.entries(links)) {
    const isFit = GitSource.shape.links.safeParse({ [address]: path }).success;
    const next = length + address.length + path.length;
    if (!isFit || next > maxSourceLinksLength) continue;
    if (kept.length === maxSourceLinks) break;
    length = next;
    kept.push([address, path]);
  }
  return Object.fromEntries(kept);
}
