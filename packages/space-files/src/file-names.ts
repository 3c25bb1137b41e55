import { removeAnchor, rewriteTargets, slugify } from '@octavo/markdown';
import {
  createOutputLocations,
  getFolderBelow,
  getSiblingFolder,
  isMarkdown,
  type OutputLocations,
  resolveLink,
} from '@octavo/outline';
import type { File, ReusableContent } from '@octavo/schema';
import { type Present, walkPresent } from './present.ts';
import { getRelativePath } from './relative-path.ts';

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const maxPartBytes = 240;

/** An item to write as a file. An item without a source path has a function that chooses its path. */
interface WrittenNames {
  id: string;
  git?: { path: string } | undefined;
  getFallback: () => string;
}

/**
 * Rules for assigning paths. Items keep their existing paths, even unsafe ones; new files get paths in the configured
 * locations.
 */
interface Naming {
  existingPaths?: { has: (path: string) => boolean };
  /** Paths that earlier exports generated, by item ID. */
  givenNames?: ReadonlyMap<string, string>;
  outputLocations?: OutputLocations;
}

const summaryName = /^(?:.*\/)?summary\.md$/i;

/** Whether a path is that of a table of contents. */
export const isSummary = (path: string): boolean => summaryName.test(path);

/**
 * Returns the paths of all pages that have a document, and of all files and reusable contents, by ID. The path is the
 * Git path, if there is one. Otherwise it is the slug of a page in the folder of its parent or siblings, or the name of
 * a file or reusable content in the folder that the convention defines. Git paths that need no change are assigned
 * first, so that no generated path takes them. Only a file can have the path of a summary.
 */
export function chooseFileNames(
  pages: readonly Present[],
  files: readonly File[],
  reusableContents: readonly ReusableContent[] = [],
  { existingPaths = new Set(), givenNames = new Map(), outputLocations = createOutputLocations('') }: Naming = {},
): Map<string, string> {
  const names = new Map<string, string>();
  const takenNames = new Names([]);
  const kept = new Set<string>();
  const deferred: WrittenNames[] = [];
  const documents = [...walkPresent(pages)].filter((page) => page.hasDocument);
  const claim = ({ id, git }: Omit<WrittenNames, 'getFallback'>): boolean => {
    const path = git?.path;
    if (path === undefined || kept.has(path)) return false;
    const isExistingPath =
      existingPaths.has(path) && path.toLowerCase() !== (outputLocations.summary ?? 'SUMMARY.md').toLowerCase();
    const isFree = (isExistingPath || path === toSafePath(path)) && takenNames.claim(path);
    if (!isFree && !isExistingPath) return false;
    kept.add(path);
    names.set(id, path);
    return true;
  };
  const summaries = files.filter(({ git }) => git !== undefined && isSummary(git.path));
  for (const each of summaries) claim(each);
  takenNames.claim(outputLocations.summary ?? 'SUMMARY.md');
  const all: WrittenNames[] = [
    ...documents.map((page) => ({ ...page, getFallback: () => getPath(page, { names, outputLocations }) })),
    ...files.map((file) => ({ ...file, getFallback: () => `${outputLocations.files}${file.name}` })),
    ...reusableContents.map((each) => ({
      ...each,
      getFallback: () => `${outputLocations.keptFolder}includes/${slugify(each.title)}.md`,
    })),
  ].filter(({ id }) => !names.has(id));
  for (const each of all) {
    const path = givenNames.get(each.id);
    if (!claim(each) && !(path !== undefined && claim({ id: each.id, git: { path } }))) deferred.push(each);
  }
  for (const { id, git, getFallback } of deferred)
    names.set(id, takenNames.claimFree(toSafePath(git?.path ?? getFallback())));
  return names;
}

interface NamedPages {
  names: ReadonlyMap<string, string>;
  outputLocations: OutputLocations;
}

/** Returns the path for a page that has no path yet. The pages above it must already have paths. */
function getPath(page: Present, namedPages: NamedPages): string {
  const path = `${getFolder(page.parent, namedPages)}${page.slug}`;
  return page.children.length > 0 ? `${path}/${namedPages.outputLocations.index}` : `${path}.md`;
}

/**
 * Returns the folder for the children of a page. It is derived from the page's file, otherwise from the files of the
 * children, otherwise from the page's slug.
 */
function getFolder(page: Present | undefined, { names, outputLocations }: NamedPages): string {
  if (page === undefined) return outputLocations.pages;
  const file = names.get(page.id);
  if (file !== undefined) return getFolderBelow(file, outputLocations);
  const namedChild = page.children.find(({ id, git }) => git !== undefined && names.has(id));
  const folder = namedChild && getSiblingFolder(names.get(namedChild.id) ?? '', outputLocations);
  if (folder?.startsWith(outputLocations.pages)) return folder;
  return `${getFolder(page.parent, { names, outputLocations })}${page.slug}/`;
}

/** Returns a relative path that is valid on every file system and does not leave its folder. */
function toSafePath(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map(toSafePart).join('/') || 'page.md';
}

/** Hidden file and folder names that documentation tools use. */
const knownHidden = /^\.(?:gitbook|vitepress|vuepress|gitbook\.ya?ml|pages)$/;

function toSafePart(part: string): string {
  if (knownHidden.test(part)) return part;
  const plain = part
    .replace(/[<>:"|?*\p{Cc}]/gu, '_')
    .replace(/[. ]+$/, '_')
    .replace(/^\./, '_');
  const safe = reserved.test(plain) || plain.toLowerCase() === 'node_modules' ? `_${plain}` : plain;
  return shorten(safe);
}

function shorten(part: string): string {
  if (new TextEncoder().encode(part).length <= maxPartBytes) return part;
  const extension = /\.\w{1,10}$/.exec(part)?.[0] ?? '';
  let name = '';
  let bytes = extension.length;
  for (const char of part.slice(0, part.length - extension.length)) {
    bytes += new TextEncoder().encode(char).length;
    if (bytes > maxPartBytes) break;
    name += char;
  }
  return name + extension;
}

/** Paths in use, compared case-insensitively: files and the folders that contain them. */
class Names {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(paths: string[]) {
    for (const path of paths) this.claim(path);
  }

  claim(path: string): boolean {
    const key = path.normalize('NFC').toLowerCase();
    const folders = [...key.matchAll(/\//g)].map((slash) => key.slice(0, slash.index));
    if (this.#files.has(key) || this.#folders.has(key) || folders.some((each) => this.#files.has(each))) return false;
    this.#files.add(key);
    for (const folder of folders) this.#folders.add(folder);
    return true;
  }

  /**
   * Claims a path, or a numbered variant if it is taken. If a file already has the path of one of its folders, the
   * first segment is numbered.
   */
  claimFree(path: string): string {
    if (this.claim(path)) return path;
    for (let number = 1; ; number += 1) {
      const numberedPath = path.replace(/(\.\w{1,10})?$/, `-${number}$1`);
      if (this.claim(numberedPath)) return numberedPath;
      const movedPath = path.includes('/') ? path.replace('/', `-${number}/`) : numberedPath;
      if (this.claim(movedPath)) return movedPath;
    }
  }
}

const ofNode = /^\/(?:pages|files)\/([\w-]+)(?=$|[?#])/;

/** An exported page: the path of its file, and the IDs of the targets that its addresses had when it was written. */
interface Exported {
  text: string;
  path: string;
  links?: Record<string, string> | undefined;
  /** For each address that is not itself a path, the path of the file that it refers to, as recorded by the import. */
  resolvedLinks?: Record<string, string> | undefined;
}

interface Paths {
  /** Paths of all files, by item ID. */
  paths: ReadonlyMap<string, string>;
  /** Former paths of deleted items, by ID. Targets continue to use them. */
  deletedPaths?: ReadonlyMap<string, string>;
  servedPaths?: OutputLocations['servedFolder'];
  /** Called with the ID of each deleted item that a target refers to. */
  onDeletedTarget?: (id: string) => void;
  /** Called with the ID of each node that a target refers to and that has no path. The target is left unchanged. */
  onTargetWithoutPath?: (id: string) => void;
}

/**
 * Returns the text of a page as it is written to its file. Targets that contain the ID of a page or file become paths
 * relative to the file, and so do targets that no longer resolve to the same file. All other targets are left
 * unchanged. Files in a folder that a site serves statically get the URL on that site.
 */
export const makeTargetsRelative = (page: Exported, paths: Paths): string =>
  rewriteTargets(page.text, toRelativeTargets(page, paths));

/**
 * Returns the text of a page after its exported file was edited. Exported targets are changed back to the targets of
 * the page, so that only the edits differ.
 */
export function restoreTargets(page: Exported, markdown: string, paths: Paths): string {
  const relative = toRelativeTargets(page, paths);
  const targets = new Map<string, string>();
  rewriteTargets(page.text, (target) => {
    const relativePath = relative(target);
    if (relativePath !== undefined) targets.set(relativePath, target);
    return undefined;
  });
  const text = rewriteTargets(markdown, (target) => targets.get(target));
  return makeTargetsRelative({ ...page, text }, paths) === markdown ? text : markdown;
}

/** Returns a function that returns the new target, or undefined if the target is left unchanged. */
function toRelativeTargets(
  { path: from, links = {}, resolvedLinks = {} }: Exported,
  { paths, deletedPaths, servedPaths, onDeletedTarget, onTargetWithoutPath }: Paths,
) {
  const files = new Set(paths.values());
  const getPath = (id = ''): string | undefined => {
    if (!paths.has(id) && deletedPaths?.has(id)) onDeletedTarget?.(id);
    return paths.get(id) ?? deletedPaths?.get(id);
  };
  return (target: string): string | undefined => {
    const address = removeAnchor(target);
    const id = Object.hasOwn(links, address) ? links[address] : undefined;
    const resolve = (known: { has: (path: string) => boolean }): string | undefined =>
      Object.hasOwn(resolvedLinks, address) ? resolvedLinks[address] : resolveLink(address, from, known);
    // If the linked item was deleted and another file now has its path, the target means that file and is left
    // unchanged.
    if (id !== undefined && !paths.has(id) && files.has(resolve(files) ?? '')) return undefined;
    const linkedPath = getPath(id);
    const means = resolve({ has: (path: string) => path === linkedPath || files.has(path) });
    if (linkedPath !== undefined && means === linkedPath) return undefined;
    const nodeMatch = ofNode.exec(target);
    const to = linkedPath ?? getPath(nodeMatch?.[1]);
    if (to === undefined) {
      if (nodeMatch?.[1] !== undefined) onTargetWithoutPath?.(nodeMatch[1]);
      return undefined;
    }
    const rest = target.slice(nodeMatch?.[0].length ?? /^[^?#]*/.exec(target)?.[0].length);
    return encodePath(getServedAddress(to, servedPaths) ?? getRelativePath(from, to)) + rest;
  };
}

/** Returns the URL at which a site serves a file unchanged. Markdown files are rendered, so they have no such URL. */
const getServedAddress = (to: string, served: OutputLocations['servedFolder']): string | undefined =>
  served && to.startsWith(served.folder) && !isMarkdown(to)
    ? served.address + to.slice(served.folder.length)
    : undefined;

const encodePath = (target: string): string => target.replace(/[%#?\s\\\p{Cc}]/gu, encodeURIComponent);
