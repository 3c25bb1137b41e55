import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  type OutputLocations,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkWantedEntries,
} from '@octavo/outline';
import { chooseFileNames } from '../export/file-names.ts';
import { findReplacedSources } from './origin.ts';
import { type Present, walkPresent } from './present.ts';
import { hashBlob } from './source.ts';

export type Matches = Map<WantedEntry, Present>;

interface Files {
  /** Path of each page's file, by page ID. If set, Git paths are ignored. */
  names?: ReadonlyMap<string, string>;
  /** IDs of the pages that have a file. */
  withFile?: { has: (id: string) => boolean };
  /** The locations where an export writes new files. */
  places?: OutputLocations;
  /**
   * The name of the source. If set, files at new paths match pages from earlier imports of this source whose files are
   * gone.
   */
  source?: string | undefined;
  /** IDs of the former pages whose text continues in a file at a new path, by the path of the file. */
  successors?: ReadonlyMap<string, string>;
}

/**
 * Finds the existing page of the space for each wanted page: by its Git path, by the file that an export would write it
 * to, then by its slug path, then by the text, the title or a similar text of a page whose file is gone. Groups, links
 * and pages without a file are matched by their title among their siblings, and finally by their children.
 */
export function matchPages(
  roots: readonly WantedEntry[],
  pages: readonly Present[],
  { names, withFile = names ?? new Map(), places, source, successors = new Map() }: Files = {},
): Matches {
  const matcher = new Matcher(pages, withFile);
  const wanted = [...walkWantedEntries(roots)];
  const files = wanted.filter((each): each is WantedPage => each.kind === 'page' && each.path !== undefined);
  const byGitPath = getFirst([...walkPresent(pages)], (page) => (names ? undefined : page.git?.path));
  for (const page of files) matcher.match(page, byGitPath.get(page.path ?? ''));
  const exported = names ?? chooseFileNames(pages, [], [], places && { outputLocations: places });
  const byFile = getFirst([...walkPresent(pages)], (page) => exported.get(page.id));
  for (const page of files) matcher.match(page, byFile.get(page.path ?? ''));
  const inFolder = new Set(files.map((page) => page.path));
  const isInOtherFolder = (page: Present) => page.git !== undefined && inFolder.has(page.git.path);
  for (const page of files) matcher.matchBySlug(page, (present) => !isInOtherFolder(present));
  if (source !== undefined) matcher.matchMovedPages(files, source);
  const byId = new Map([...walkPresent(pages)].map((page) => [page.id, page]));
  for (const page of files) matcher.match(page, byId.get(successors.get(page.path ?? '') ?? ''));
  for (const each of wanted) if (each.kind !== 'page' || each.path === undefined) matcher.matchByTitle(each);
  for (const each of wanted.toReversed())
    if (each.kind !== 'page' || each.path === undefined) matcher.matchByChildren(each);
  return matcher.matches;
}

function getFirst(pages: Present[], keyOf: (page: Present) => string | undefined): Map<string, Present> {
  const found = new Map<string, Present>();
  for (const page of pages) {
    const key = keyOf(page);
    if (key !== undefined && !found.has(key)) found.set(key, page);
  }
  return found;
}

class Matcher {
  readonly matches: Matches = new Map();
  readonly #used = new Set<Present>();
  readonly #pages: Present[];
  readonly #roots: readonly Present[];
  readonly #byPath: Map<string, Present>;
  readonly #withFile: { has: (id: string) => boolean };

  constructor(roots: readonly Present[], withFile: { has: (id: string) => boolean }) {
    this.#withFile = withFile;
    this.#roots = roots;
    this.#pages = [...walkPresent(roots)];
    this.#byPath = getFirst(this.#pages, (page) => page.path || undefined);
  }

  match(wanted: WantedEntry, present: Present | undefined): void {
    if (!present || present.kind !== wanted.kind || this.#used.has(present) || this.matches.has(wanted)) return;
    this.matches.set(wanted, present);
    this.#used.add(present);
  }

  matchBySlug(wanted: WantedPage, allowed: (present: Present) => boolean): void {
    const present = this.#byPath.get(this.#pathOf(wanted));
    if (present && allowed(present)) this.match(wanted, present);
  }

  /**
   * Matches files to pages of the same source whose files are gone. A text or title is used only if exactly one file
   * and one page have it.
   */
  matchMovedPages(files: readonly WantedPage[], source: string): void {
    const isMatched = (page: Present) => this.#used.has(page);
    const replaced = findReplacedSources(this.#pages, { name: source, size: files.length, isFound: isMatched });
    const former = this.#pages.filter(({ git, importedFrom }) => git !== undefined && replaced.has(importedFrom));
    const keys: [of: (page: Present) => string | undefined, wanted: (file: WantedPage) => string | undefined][] = [
      [({ git }) => git?.oid, ({ file }) => file && hashBlob(file.bytes)],
      [({ title }) => title, getWantedTitle],
    ];
    for (const [getKey, getWantedKey] of keys) {
      const free = Map.groupBy(
        former.filter((page) => !this.#used.has(page)),
        getKey,
      );
      const left = files.filter((each) => each.file !== undefined && !this.matches.has(each));
      for (const [key, some] of Map.groupBy(left, getWantedKey)) {
        const pages = free.get(key) ?? [];
        if (some.length === 1 && pages.length === 1) for (const each of some) this.match(each, pages[0]);
      }
    }
  }

  /**
   * Matches titles before slugs, because an empty page can have the slug that the title of another empty page produces.
   */
  matchByTitle(wanted: WantedEntry): void {
    const isFree = (present: Present) => wanted.kind !== 'page' || !this.#withFile.has(present.id);
    const isSimilar = (present: Present) =>
      isFree(present) &&
      !this.#used.has(present) &&
      present.kind === wanted.kind &&
      present.title === wanted.title &&
      this.#isAlike(wanted, present);
    const parent = wanted.parent && this.matches.get(wanted.parent);
    const siblings = wanted.parent === undefined ? this.#roots : (parent?.children ?? []);
    this.match(wanted, siblings.find(isSimilar));
    if (wanted.kind === 'link') this.match(wanted, this.#pages.find(isSimilar));
    else {
      const present = this.#byPath.get(this.#pathOf(wanted));
      if (present && isFree(present)) this.match(wanted, present);
    }
  }

  /** Matches an entry whose title has changed to the page that was the parent of most of its children. */
  matchByChildren(wanted: WantedEntry): void {
    const counts = new Map<Present, number>();
    for (const child of wanted.children) {
      const parent = this.matches.get(child)?.parent;
      if (parent && !parent.hasDocument) counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
    const ranked = [...counts].toSorted(([, one], [, other]) => other - one);
    const free = ranked.find(([parent]) => parent.kind === wanted.kind && !this.#used.has(parent));
    this.match(wanted, free?.[0]);
  }

  #isAlike(wanted: WantedEntry, present: Present): boolean {
    if (wanted.kind === 'page') return present.git === undefined;
    return wanted.kind === 'group' || this.#leadsAlike(wanted, present);
  }

  #leadsAlike({ target }: WantedLink, present: Present): boolean {
    if (target.kind !== 'file-of-page') return JSON.stringify(target) === JSON.stringify(present.target);
    const there = present.target;
    if (there?.kind !== 'page' && (there?.kind !== 'anchor' || there.anchor !== target.anchor)) return false;
    const id = there.page;
    return [...this.matches].some(
      ([wanted, page]) => page.id === id && wanted.kind === 'page' && wanted.path === target.path,
    );
  }

  #pathOf(wanted: WantedEntry): string {
    const own = wanted.kind === 'link' ? '' : wanted.slug;
    if (wanted.parent === undefined) return own;
    return `${this.matches.get(wanted.parent)?.path ?? this.#pathOf(wanted.parent)}/${own}`;
  }
}

const getWantedTitle = ({ file, title, fallbackTitle }: WantedPage): string | undefined =>
  file && (readFrontmatter(file.text).values.title ?? title ?? getTitle(file.text) ?? fallbackTitle);
