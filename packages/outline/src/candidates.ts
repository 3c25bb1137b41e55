import { decodeAddress, getFolder, normalizePath } from './paths.ts';

const markdownEnding = /\.(?:mdx?|markdown)$/i;
const imageEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?)$/i;
const folderPages = ['README.md', 'index.md', '_index.md', 'README.mdx', 'index.mdx'];

/** Whether a file is an image by its name. */
export const isImage = (path: string): boolean => imageEnding.test(path);

/** A name or an address without the ending of a markdown file. */
export const withoutMarkdownEnding = (name: string): string => name.replace(markdownEnding, '');

/**
 * The files that a path may mean, best first, by the one rule of the platform. `files` has that file itself, the page of
 * a folder, or the page whose file has that name with an ending; `sources` the files that a generator makes the web page
 * of, where the path ends as one: the slugs of pages come before them. `path` has no `.`, `..` or slash at its ends.
 */
export function candidatesAt(path: string): { files: string[]; sources: string[] } {
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
 * The file that an address in a file leads to by `candidatesAt`, where there is one: relative to the file's folder, with
 * a slash at its start from the root of the source. Nothing above the root is found, and no address with a scheme.
 * @param address As it is written, without an anchor.
 */
export function leadsTo(address: string, from: string, files: { has: (path: string) => boolean }): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return undefined;
  return pathLeadsTo(decodeAddress(address.split('?', 1)[0] ?? ''), from, files);
}

/** As `leadsTo`, for a path: what stands in an address without a scheme and a query, percent-decoded. */
export function pathLeadsTo(
  written: string,
  from: string,
  files: { has: (path: string) => boolean },
): string | undefined {
  if (written === '') return undefined;
  const at = normalizePath(written.startsWith('/') ? written : `${getFolder(from)}${written}`);
  if (at === '..' || at.startsWith('../')) return undefined;
  const { files: direct, sources } = candidatesAt(at);
  return [...direct, ...sources].find((each) => files.has(each));
}
