import { type Places, type WantedEntry, type WantedLink, type WantedPage, walkWanted } from '@octavo/outline';
import { fileNames } from '../export/file-names.ts';
import { type Present, walkPresent } from './present.ts';

export type Matches = Map<WantedEntry, Present>;

interface Files {
  /** Which file each page is, by its id: then git paths say nothing. */
  names?: ReadonlyMap<string, string>;
  /** The pages that have a file, by their ids. */
  withFile?: { has: (id: string) => boolean };
  /** Where an export writes what is new. */
  places?: Places;
}

/**
 * Finds the page of the space that each wanted page already is: by its git path, by the file that an export would
 * write it to, by its slug path; groups, links and pages without a file by their title beside their siblings, and then
 * what only holds others by what it holds.
 */
export function matchPages(
  roots: readonly WantedEntry[],
  pages: readonly Present[],
  { names, withFile = names ?? new Map(), places }: Files = {},
): Matches {
  const matcher = new Matcher(pages, withFile);
  const wanted = [...walkWanted(roots)];
  const files = wanted.filter((each): each is WantedPage => each.kind === 'page' && each.path !== undefined);
  const byGitPath = firstOf([...walkPresent(pages)], (page) => (names ? undefined : page.git?.path));
  for (const page of files) matcher.match(page, byGitPath.get(page.path ?? ''));
  const exported = names ?? fileNames(pages, [], [], places && { places });
  const byFile = firstOf([...walkPresent(pages)], (page) => exported.get(page.id));
  for (const page of files) matcher.match(page, byFile.get(page.path ?? ''));
  const inFolder = new Set(files.map((page) => page.path));
  const isElsewhere = (page: Present) => page.git !== undefined && inFolder.has(page.git.path);
  for (const page of files) matcher.matchBySlug(page, (present) => !isElsewhere(present));
  for (const each of wanted) if (each.kind !== 'page' || each.path === undefined) matcher.matchByTitle(each);
  for (const each of wanted.toReversed())
    if (each.kind !== 'page' || each.path === undefined) matcher.matchByChildren(each);
  return matcher.matches;
}

function firstOf(pages: Present[], keyOf: (page: Present) => string | undefined): Map<string, Present> {
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
    this.#byPath = firstOf(this.#pages, (page) => page.path || undefined);
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

  /** Titles come before slugs here: two empty pages may each have the slug that the other's title would give. */
  matchByTitle(wanted: WantedEntry): void {
    const isFree = (present: Present) => wanted.kind !== 'page' || !this.#withFile.has(present.id);
    const alike = (present: Present) =>
      isFree(present) &&
      !this.#used.has(present) &&
      present.kind === wanted.kind &&
      present.title === wanted.title &&
      this.#isAlike(wanted, present);
    const parent = wanted.parent && this.matches.get(wanted.parent);
    const siblings = wanted.parent === undefined ? this.#roots : (parent?.children ?? []);
    this.match(wanted, siblings.find(alike));
    if (wanted.kind === 'link') this.match(wanted, this.#pages.find(alike));
    else {
      const present = this.#byPath.get(this.#pathOf(wanted));
      if (present && isFree(present)) this.match(wanted, present);
    }
  }

  /** What has another title by now is that which most of its children stood below. */
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
