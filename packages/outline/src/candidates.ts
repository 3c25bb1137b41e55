import { hashText } from '@octavo/markdown';
import { GitSource, maxSourceLinks, maxSourceLinksLength } from '@octavo/schema';
import { decodeAddress, getFolder, normalizePath } from './paths.ts';

const markdownEnding = /\.(?:mdx?|markdown)$/i;
const imageEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?)$/i;
const folderPages = ['README.md', 'index.md', '_index.md', 'README.mdx', 'index.mdx'];

/** Whether a file is an image, by its extension. */
export const isImage = (path: string): boolean => imageEnding.test(path);

/** Removes the extension of a markdown file from a name or an address. */
export const removeMarkdownEnding = (name: string): string => name.replace(markdownEnding, '');

/**
 * Returns the files that a path may refer to, best first. The whole platform uses this rule. `files` has the file
 * itself, the page of the folder with this path, and the page with this path plus an extension. If the path has the
 * extension of a web page, `sources` has the files from which a generator builds this page; slugs of pages take
 * precedence over these. `path` has no `.` or `..` and no slash at its ends.
 */
export function getCandidates(path: string): { files: string[]; sources: string[] } {
  if (path === '') return { files: folderPages, sources: [] };
  if (markdownEnding.test(path) || imageEnding.test(path)) return { files: [path], sources: [] };
  const pages = folderPages.map((name) => `${path}/${name}`);
  return { files: [path, ...pages, `${path}.md`, `${path}.mdx`], sources: getSources(path) };
}

function getSources(path: string): string[] {
  if (!/\.html$/i.test(path)) return [];
  const stem = path.slice(0, -'.html'.length);
  const folder = getFolder(path);
  const isIndex = /^index$/i.test(stem.slice(folder.length));
  return [`${stem}.md`, `${stem}.mdx`, ...(isIndex ? [`${folder}README.md`, `${folder}_index.md`] : [])];
}

/**
 * Returns the file that an address in a file links to by `getCandidates`, if any: relative to the file's folder or,
 * with a leading slash, to the root of the source. Files above the root and addresses with a scheme are never found.
 * @param address As written, without its anchor.
 */
export function resolveLink(
  address: string,
  from: string,
  files: { has: (path: string) => boolean },
): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return undefined;
  return resolvePath(decodeAddress(address.split('?', 1)[0] ?? ''), from, files);
}

/** Same as `resolveLink`, for a percent-decoded path without a scheme or query. */
export function resolvePath(
  address: string,
  from: string,
  files: { has: (path: string) => boolean },
): string | undefined {
  if (address === '') return undefined;
  const path = normalizePath(address.startsWith('/') ? address : `${getFolder(from)}${address}`);
  if (path === '..' || path.startsWith('../')) return undefined;
  const { files: direct, sources } = getCandidates(path);
  return [...direct, ...sources].find((each) => files.has(each));
}

type Links = Readonly<Record<string, string>>;

/** Returns an ID of the resolved links of a text, 14 characters long. Equal links have equal IDs in any order. */
export const hashLinks = (links: Links): string =>
  hashText(JSON.stringify(Object.entries(links).sort(([one], [other]) => (one < other ? -1 : 1))));

/** Returns the resolved links that a space stores: the first ones, up to the limits of the contract. */
export function limitLinks(links: Links): Record<string, string> {
  const candidates: [string, string][] = [];
  let length = 0;
  for (const [address, path] of Object.entries(links)) {
    const isFit = GitSource.shape.links.safeParse({ [address]: path }).success;
    const next = length + address.length + path.length;
    if (!isFit || next > maxSourceLinksLength) continue;
    if (candidates.length === maxSourceLinks) break;
    length = next;
    candidates.push([address, path]);
  }
  return Object.fromEntries(candidates);
}
