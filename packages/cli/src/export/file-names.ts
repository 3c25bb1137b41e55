import path from 'node:path';
import { rewriteTargets, slugify, withoutAnchor } from '@octavo/markdown';
import { folderBelow, folderBeside, isMarkdown, leadsTo, type Places, placesIn } from '@octavo/outline';
import type { File, ReusableContent } from '@octavo/schema';
import { type Present, walkPresent } from '../import/present.ts';

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const maxPartBytes = 240;

/** Something that is written as a file: where it came from, and where it goes when it came from nowhere. */
interface Written {
  id: string;
  git?: { path: string } | undefined;
  otherwise: () => string;
}

/** Where names are given: what there is, which keeps its path, whatever that is, and where what is new goes. */
interface Naming {
  there?: { has: (path: string) => boolean };
  /** The paths that were made up before, by the ids of what they hold. */
  given?: ReadonlyMap<string, string>;
  places?: Places;
}

const summaryName = /^(?:.*\/)?summary\.md$/i;

/** Whether a path is one that a table of contents has. */
export const isSummary = (path: string): boolean => summaryName.test(path);

/**
 * The path of every page that has a document, and of all other files and reusable contents, by its id: its git path, else
 * its slug in the folder that its parent's file or those of its siblings say, or its name in the folder that the convention
 * has for files or reusable contents. Paths that are safe as they stand come first, so that no made-up name takes theirs;
 * that of a summary is for files alone.
 */
export function fileNames(
  pages: readonly Present[],
  files: readonly File[],
  reusableContents: readonly ReusableContent[] = [],
  { there = new Set(), given = new Map(), places = placesIn('') }: Naming = {},
): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Names([]);
  const kept = new Set<string>();
  const deferred: Written[] = [];
  const documents = [...walkPresent(pages)].filter((page) => page.hasDocument);
  const claim = ({ id, git }: Omit<Written, 'otherwise'>): boolean => {
    const path = git?.path;
    if (path === undefined || kept.has(path)) return false;
    const isKept = there.has(path) && path.toLowerCase() !== (places.summary ?? 'SUMMARY.md').toLowerCase();
    const isFree = (isKept || path === safePath(path)) && taken.claim(path);
    if (!isFree && !isKept) return false;
    kept.add(path);
    names.set(id, path);
    return true;
  };
  const summaries = files.filter(({ git }) => git !== undefined && isSummary(git.path));
  for (const each of summaries) claim(each);
  taken.claim(places.summary ?? 'SUMMARY.md');
  const all: Written[] = [
    ...documents.map((page) => ({ ...page, otherwise: () => pathOf(page, { names, places }) })),
    ...files.map((file) => ({ ...file, otherwise: () => `${places.files}${file.name}` })),
    ...reusableContents.map((each) => ({
      ...each,
      otherwise: () => `${places.kept}includes/${slugify(each.title)}.md`,
    })),
  ].filter(({ id }) => !names.has(id));
  for (const each of all) {
    const path = given.get(each.id);
    if (!claim(each) && !(path !== undefined && claim({ id: each.id, git: { path } }))) deferred.push(each);
  }
  for (const { id, git, otherwise } of deferred) names.set(id, taken.claimFree(safePath(git?.path ?? otherwise())));
  return names;
}

interface Named {
  names: ReadonlyMap<string, string>;
  places: Places;
}

/** Pages above have their names before those below. */
function pathOf(page: Present, named: Named): string {
  const own = `${folderOf(page.parent, named)}${page.slug}`;
  return page.children.length > 0 ? `${own}/${named.places.index}` : `${own}.md`;
}

/** The folder of what is below a page: by its file, else by those of its pages, else by its slug. */
function folderOf(page: Present | undefined, { names, places }: Named): string {
  if (page === undefined) return places.pages;
  const file = names.get(page.id);
  if (file !== undefined) return folderBelow(file, places);
  const known = page.children.find(({ id, git }) => git !== undefined && names.has(id));
  const beside = known && folderBeside(names.get(known.id) ?? '', places);
  if (beside?.startsWith(places.pages)) return beside;
  return `${folderOf(page.parent, { names, places })}${page.slug}/`;
}

/** A relative path that any file system takes and that leads nowhere else. */
function safePath(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map(safePart).join('/') || 'page.md';
}

/** Hidden names that are of documentation. */
const knownHidden = /^\.(?:gitbook|vitepress|vuepress|gitbook\.ya?ml|pages)$/;

function safePart(part: string): string {
  if (knownHidden.test(part)) return part;
  const plain = part
    .replace(/[<>:"|?*\p{Cc}]/gu, '_')
    .replace(/[. ]+$/, '_')
    .replace(/^\./, '_');
  const free = reserved.test(plain) || plain.toLowerCase() === 'node_modules' ? `_${plain}` : plain;
  return shorten(free);
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

/** Paths that are in use, without regard to case: as files, and as the folders that they lie in. */
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

  /** A folder of the path may be in use as a file: then the number goes to the first part of the path. */
  claimFree(path: string): string {
    if (this.claim(path)) return path;
    for (let number = 1; ; number += 1) {
      const numbered = path.replace(/(\.\w{1,10})?$/, `-${number}$1`);
      if (this.claim(numbered)) return numbered;
      const moved = path.includes('/') ? path.replace('/', `-${number}/`) : numbered;
      if (this.claim(moved)) return moved;
    }
  }
}

const ofNode = /^\/(?:pages|files)\/([\w-]+)(?=$|[?#])/;

/** A page as it is exported: the path of its file, and what its targets were resolved to when it was written. */
interface Exported {
  text: string;
  path: string;
  links?: Record<string, string> | undefined;
  /** The files that addresses mean which do not name them, as was told when the text was imported. */
  meant?: Record<string, string> | undefined;
}

interface Paths {
  /** The paths of all files, by the ids of what they hold. */
  paths: ReadonlyMap<string, string>;
  /** Where things were that are no more, by their ids: targets go on naming that, as they did. */
  gone?: ReadonlyMap<string, string>;
  served?: Places['served'];
  /** Is told the id of each such thing that a target means. */
  onGone?: (id: string) => void;
  /** Is told the id of each node that a target names and that has no path: such a target stays. */
  onPathless?: (id: string) => void;
}

/**
 * A page's text as it stands in its file: targets that name a page or a file of the space by its id become paths, from
 * the folder of its file, and so do those that no longer say where the file is that they were resolved to. All others
 * stay as they are written. What a site serves of a folder as it is has the site's address.
 */
export const withRelativeTargets = (page: Exported, paths: Paths): string =>
  rewriteTargets(page.text, relativeTargets(page, paths));

/**
 * A text that was edited in the file of a page, with the targets as the page has them where the file has what was made of
 * those: so the page has changed where the file was edited, and nowhere else.
 */
export function withTargetsOf(page: Exported, edited: string, paths: Paths): string {
  const relative = relativeTargets(page, paths);
  const written = new Map<string, string>();
  rewriteTargets(page.text, (target) => {
    const made = relative(target);
    if (made !== undefined) written.set(made, target);
    return undefined;
  });
  const text = rewriteTargets(edited, (target) => written.get(target));
  return withRelativeTargets({ ...page, text }, paths) === edited ? text : edited;
}

/** What becomes of a target; undefined where it stays. */
function relativeTargets(
  { path: from, links = {}, meant = {} }: Exported,
  { paths, gone, served, onGone, onPathless }: Paths,
) {
  const files = new Set(paths.values());
  const pathOf = (id = ''): string | undefined => {
    if (!paths.has(id) && gone?.has(id)) onGone?.(id);
    return paths.get(id) ?? gone?.get(id);
  };
  return (target: string): string | undefined => {
    const address = withoutAnchor(target);
    const kept = Object.hasOwn(links, address) ? pathOf(links[address]) : undefined;
    const known = { has: (at: string) => at === kept || files.has(at) };
    const means = Object.hasOwn(meant, address) ? meant[address] : leadsTo(address, from, known);
    if (kept !== undefined && means === kept) return undefined;
    const named = ofNode.exec(target);
    const to = kept ?? pathOf(named?.[1]);
    if (to === undefined) {
      if (named?.[1] !== undefined) onPathless?.(named[1]);
      return undefined;
    }
    const rest = target.slice(named?.[0].length ?? /^[^?#]*/.exec(target)?.[0].length);
    return encodePath(servedAt(to, served) ?? path.posix.relative(path.posix.dirname(from), to)) + rest;
  };
}

/** Pages are never served as they are. */
const servedAt = (to: string, served: Places['served']): string | undefined =>
  served && to.startsWith(served.folder) && !isMarkdown(to)
    ? served.address + to.slice(served.folder.length)
    : undefined;

const encodePath = (target: string): string => target.replace(/[%#?\s\\\p{Cc}]/gu, encodeURIComponent);
