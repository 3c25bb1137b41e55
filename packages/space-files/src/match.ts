import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  type OutputLocations,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkOutlineEntries,
} from '@octavo/outline';
import { chooseFileNames } from './file-names.ts';
import { findReplacedSources } from './origin.ts';
import { type Present, walkPresent } from './present.ts';

export type Matches = Map<WantedEntry, Present>;

/** A source that may have been imported before. */
interface NamedSource {
  name: string;
  /** Returns the Git blob ID of a file's content. */
  hashBlob: (bytes: Uint8Array) => string;
}

interface Files {
  /** Path of each page's file, by page ID. If set, Git paths are ignored. */
  names?: ReadonlyMap<string, string>;
  /** IDs of the pages that have a file. */
  withFile?: { has: (id: string) => boolean };
  /** The locations where an export writes new files. */
  places?: OutputLocations;
  /** If set, files at new paths match pages from earlier imports of this source whose files are gone. */
  source?: NamedSource | undefined;
  /** IDs of the former pages whose text continues in a file at a new path, by the path of the file. */
  successors?: ReadonlyMap<string, string>;
}

/**
 * Finds the existing page of the space for each wanted page. It compares the Git path, the file that an export would
 * write, and the slug path, in this order. Files at new paths are then matched to pages whose files are gone, by their
 * text, their title or `successors`. Groups, links and pages without a file are matched by their title among their
 * siblings, and finally by their children.
 */
export function matchPages(
  roots: readonly WantedEntry[],
  pages: readonly Present[],
  { names, withFile = names ?? new Map(), places, source, successors = new Map() }: Files = {},
): Matches {
  const matcher = new Matcher(pages, withFile);
  const wantedEntries = [...walkOutlineEntries(roots)];
  const files = wantedEntries.filter((each): each is WantedPage => each.kind === 'page' && each.path !== undefined);
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
  for (const each of wantedEntries) if (each.kind !== 'page' || each.path === undefined) matcher.matchByTitle(each);
  for (const each of wantedEntries.toReversed())
    if (each.kind !== 'page' || each.path === undefined) matcher.matchByChildren(each);
  return matcher.matches;
}

function getFirst(pages: Present[], keyOf: (page: Present) => string | undefined): Map<string, Present> {
  const matchedPages = new Map<string, Present>();
  for (const page of pages) {
    const key = keyOf(page);
    if (key !== undefined && !matchedPages.has(key)) matchedPages.set(key, page);
  }
  return matchedPages;
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

  match(wantedEntry: WantedEntry, present: Present | undefined): void {
    if (!present || present.kind !== wantedEntry.kind || this.#used.has(present) || this.matches.has(wantedEntry))
      return;
    this.matches.set(wantedEntry, present);
    this.#used.add(present);
  }

  matchBySlug(wantedPage: WantedPage, allowed: (present: Present) => boolean): void {
    const present = this.#byPath.get(this.#getPath(wantedPage));
    if (present && allowed(present)) this.match(wantedPage, present);
  }

  /**
   * Matches files to pages of the same source whose files are gone. A text or title is used only if exactly one file
   * and one page have it.
   */
  matchMovedPages(files: readonly WantedPage[], { name, hashBlob }: NamedSource): void {
    const isMatched = (page: Present) => this.#used.has(page);
    const replaced = findReplacedSources(this.#pages, { name, size: files.length, isFound: isMatched });
    const former = this.#pages.filter(({ git, importedFrom }) => git !== undefined && replaced.has(importedFrom));
    const keys: [of: (page: Present) => string | undefined, wanted: (file: WantedPage) => string | undefined][] = [
      [({ git }) => git?.oid, ({ file }) => file && hashBlob(file.bytes)],
      [({ title }) => title, findExpectedTitle],
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
  matchByTitle(wantedEntry: WantedEntry): void {
    const isFree = (present: Present) => wantedEntry.kind !== 'page' || !this.#withFile.has(present.id);
    const isSimilar = (present: Present) =>
      isFree(present) &&
      !this.#used.has(present) &&
      present.kind === wantedEntry.kind &&
      present.title === wantedEntry.title &&
      this.#isAlike(wantedEntry, present);
    const parent = wantedEntry.parent && this.matches.get(wantedEntry.parent);
    const siblings = wantedEntry.parent === undefined ? this.#roots : (parent?.children ?? []);
    this.match(wantedEntry, siblings.find(isSimilar));
    if (wantedEntry.kind === 'link') this.match(wantedEntry, this.#pages.find(isSimilar));
    else {
      const present = this.#byPath.get(this.#getPath(wantedEntry));
      if (present && isFree(present)) this.match(wantedEntry, present);
    }
  }

  /**
   * Matches an entry whose title has changed. It is matched to the page that was the parent of most of its children.
   */
  matchByChildren(wantedEntry: WantedEntry): void {
    const counts = new Map<Present, number>();
    for (const child of wantedEntry.children) {
      const parent = this.matches.get(child)?.parent;
      if (parent && !parent.hasDocument) counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
    const ranked = [...counts].toSorted(([, one], [, other]) => other - one);
    const free = ranked.find(([parent]) => parent.kind === wantedEntry.kind && !this.#used.has(parent));
    this.match(wantedEntry, free?.[0]);
  }

  #isAlike(wantedEntry: WantedEntry, present: Present): boolean {
    if (wantedEntry.kind === 'page') return present.git === undefined;
    return wantedEntry.kind === 'group' || this.#hasSameTarget(wantedEntry, present);
  }

  #hasSameTarget({ target }: WantedLink, present: Present): boolean {
    if (target.kind !== 'file-of-page') return JSON.stringify(target) === JSON.stringify(present.target);
    const there = present.target;
    if (there?.kind !== 'page' && (there?.kind !== 'anchor' || there.anchor !== target.anchor)) return false;
    const id = there.page;
    return [...this.matches].some(
      ([wantedEntry, page]) => page.id === id && wantedEntry.kind === 'page' && wantedEntry.path === target.path,
    );
  }

  #getPath(wantedEntry: WantedEntry): string {
    const own = wantedEntry.kind === 'link' ? '' : wantedEntry.slug;
    if (wantedEntry.parent === undefined) return own;
    return `${this.matches.get(wantedEntry.parent)?.path ?? this.#getPath(wantedEntry.parent)}/${own}`;
  }
}

const findExpectedTitle = ({ file, title, fallbackTitle }: WantedPage): string | undefined =>
  file && (readFrontmatter(file.text).values.title ?? title ?? getTitle(file.text) ?? fallbackTitle);
