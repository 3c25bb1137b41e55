import { textKey } from '@octavo/markdown';
import { GitSource, maxSourceLinks, maxSourceLinksLength } from '@octavo/schema';

type Links = Readonly<Record<string, string>>;

/** An id of what the addresses of a text mean, as 14 characters: two that mean the same have the same, in whatever order. */
export const idOfLinks = (links: Links): string =>
  textKey(JSON.stringify(Object.entries(links).sort(([one], [other]) => (one < other ? -1 : 1))));

/** What of the addresses of a text and their meanings a space keeps: as many as the contract takes, the first ones. */
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
