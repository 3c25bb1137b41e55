import { mapConcurrently } from '@octavo/client';
import { readFrontmatter } from '@octavo/markdown';
import {
  fieldsOfNew,
  longestIncreasing,
  type OutlineSource,
  type OutputLocations,
  type Repository,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkWanted,
} from '@octavo/outline';
import type { PageMetadata, Revision } from '@octavo/schema';
import type { Api } from '../api.ts';
import { fileNames } from '../export/file-names.ts';
import { SourceLinks } from './broken-links.ts';
import { type ChangedFile, changedFiles } from './changed-files.ts';
import { Outline, type Present, presentTree, walkPresent } from './present.ts';
import { type ImportReport, newTally } from './report.ts';
import { type ContentsPlan, planContents, planVariables, type VariablesPlan } from './reusable-contents.ts';
import { blobId, type ImportProblem } from './source.ts';

export type Matches = Map<WantedEntry, Present>;

interface Files {
  /** Path of each page's file, by page ID. If set, Git paths are ignored. */
  names?: ReadonlyMap<string, string>;
  /** IDs of the pages that have a file. */
  withFile?: { has: (id: string) => boolean };
  /** The locations where an export writes new files. */
  places?: OutputLocations;
}

/**
 * Finds the existing page of the space for each wanted page: by its Git path, by the file that an export would write it
 * to, then by its slug path. Groups, links and pages without a file are matched by their title among their siblings,
 * and finally by their children.
 */
export function matchPages(
  roots: readonly WantedEntry[],
  pages: readonly Present[],
  { names, withFile = names ?? new Map(), places }: Files = {},
): Matches {
  const matcher = new Matcher(pages, withFile);
  const wanted = [...walkWanted(roots)];
  const files = wanted.filter((each): each is WantedPage => each.kind === 'page' && each.path !== undefined);
  const byGitPath = getFirst([...walkPresent(pages)], (page) => (names ? undefined : page.git?.path));
  for (const page of files) matcher.match(page, byGitPath.get(page.path ?? ''));
  const exported = names ?? fileNames(pages, [], [], places && { places });
  const byFile = getFirst([...walkPresent(pages)], (page) => exported.get(page.id));
  for (const page of files) matcher.match(page, byFile.get(page.path ?? ''));
  const inFolder = new Set(files.map((page) => page.path));
  const isElsewhere = (page: Present) => page.git !== undefined && inFolder.has(page.git.path);
  for (const page of files) matcher.matchBySlug(page, (present) => !isElsewhere(present));
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

  /** Matches titles before slugs: of two empty pages, each may have the slug that the title of the other produces. */
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

  /** Matches an entry whose title has changed to the former parent of most of its children. */
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

/** A step of an import: inserts a page that the space does not have, or updates the parts of a page that differ. */
export interface PlanStep {
  wanted: WantedEntry;
  present: Present | undefined;
  /** Whether the page moves to its position among the wanted pages. */
  place: boolean;
  document: boolean;
  /** Whether the Git link targets of the page's text must be sent again. */
  git: boolean;
  title?: string;
  hidden?: boolean;
  /** Other metadata to set. */
  fields?: PageMetadata;
}

/** Checks whether a page has the wanted text, and whether it has the same links stored for that text. */
interface Comparer {
  hasText: (page: Present, wanted: WantedPage) => boolean;
  hasLinks: (page: Present, wanted: WantedPage) => boolean;
}

/** Returns the steps that make the space contain the wanted tree, parents before children. Nothing is ever deleted. */
export function planImport(roots: readonly WantedEntry[], matches: Matches, comparer: Comparer): PlanStep[] {
  const moved = movedPages(roots, matches);
  const steps: PlanStep[] = [];
  const hidden = new Set<WantedEntry>();
  for (const wanted of walkWanted(roots)) {
    const present = matches.get(wanted);
    const isBelowHidden = wanted.parent !== undefined && hidden.has(wanted.parent);
    if (isBelowHidden || isHidden(wanted, present)) hidden.add(wanted);
    if (present) {
      const step = getUpdate(wanted, present, { ...comparer, isBelowHidden });
      step.place = moved.has(wanted);
      if (step.place || step.document || step.title !== undefined || step.hidden !== undefined) steps.push(step);
    } else if (isReadable(wanted))
      steps.push({ wanted, present, place: true, document: true, git: true, ...fieldsOfNew(wanted) });
  }
  return steps;
}

const isReadable = (wanted: WantedEntry): boolean =>
  wanted.kind !== 'page' || wanted.path === undefined || wanted.file !== undefined;

function isHidden(wanted: WantedEntry, present: Present | undefined): boolean {
  const own =
    wanted.kind === 'page' ? (readFrontmatter(wanted.file?.text ?? '').values.hidden ?? wanted.hidden) : undefined;
  return own ?? present?.hidden ?? false;
}

/** Returns the update of a page. The API returns every page below a hidden page as hidden, whatever its own setting. */
function getUpdate(
  wanted: WantedEntry,
  present: Present,
  { isBelowHidden, ...comparer }: Comparer & { isBelowHidden: boolean },
): PlanStep {
  const step: PlanStep = { wanted, present, place: false, document: false, git: false };
  if (wanted.kind !== 'page') {
    if (wanted.title !== present.title) step.title = wanted.title;
    return step;
  }
  const { values } = readFrontmatter(wanted.file?.text ?? '');
  step.git = wanted.file !== undefined && !comparer.hasLinks(present, wanted);
  // Links are resolved when a text is written, so send the text again if they differ.
  step.document = wanted.file !== undefined && (step.git || !comparer.hasText(present, wanted));
  const { title } = wanted;
  if (title !== undefined && values.title === undefined && title !== present.title) step.title = title;
  const isSaid = values.hidden !== undefined || (isBelowHidden && present.hidden);
  if (wanted.hidden !== undefined && !isSaid && wanted.hidden !== present.hidden) step.hidden = wanted.hidden;
  return step;
}

/** Returns the pages that have a new parent, and those that must move to get the order of their siblings right. */
function movedPages(roots: readonly WantedEntry[], matches: Matches): Set<WantedEntry> {
  const moved = new Set<WantedEntry>();
  const look = (siblings: readonly WantedEntry[], parent: Present | undefined, isNew: boolean): void => {
    const staying = siblings.filter((each) => {
      const present = matches.get(each);
      const stays = present !== undefined && !isNew && present.parent === parent;
      if (present && !stays) moved.add(each);
      return stays;
    });
    const kept = longestIncreasing(staying.map((each) => matches.get(each)?.index ?? 0));
    staying.forEach((each, index) => {
      if (!kept.has(index)) moved.add(each);
    });
    for (const each of siblings) look(each.children, matches.get(each), !matches.has(each));
  };
  look(roots, undefined, false);
  return moved;
}

const concurrency = 8;

/** The changes that make a space contain a repository. */
export interface ContentPlan {
  source: OutlineSource;
  steps: PlanStep[];
  matches: Matches;
  outline: Outline;
  files: ChangedFile[];
  contents: ContentsPlan;
  variables: VariablesPlan;
  links: SourceLinks;
}

interface Space {
  api: Api;
  /** The content of the space, with or without its generated pages. */
  revision: Revision;
  spaceId: string;
}

/** Compares a repository with the content of a space. */
export async function planContent(source: OutlineSource, repository: Repository, space: Space): Promise<ContentPlan> {
  const { api, revision, spaceId } = space;
  const { roots, files: wanted, reusableContents, variables, meanings, places } = repository;
  const pages = presentTree(revision.pages);
  const matches = matchPages(roots, pages, { places });
  const names = fileNames(pages, revision.files, revision.reusableContents, { places });
  const links = new SourceLinks(meanings);
  return {
    source,
    steps: planImport(roots, matches, await comparer(space, matches, links)),
    matches,
    outline: Outline.of(pages),
    files: await changedFiles(api, spaceId, { source, wanted, names }),
    contents: await planContents(reusableContents, links, { api, spaceId, present: revision.reusableContents }),
    variables: planVariables(variables, revision.variables),
    links,
  };
}

export const isEmpty = ({ steps, files, contents, variables }: ContentPlan): boolean =>
  steps.length + files.length + contents.changes.length + variables.changes.length === 0;

/** Returns the report of a plan that has not been carried out yet. */
export function getReport(plan: ContentPlan, repository: Repository, space: string): ImportReport {
  const problems = [...repository.problems, ...plan.links.problems, ...plan.variables.problems];
  const files = { ...newTally(), unchanged: repository.files.length - plan.files.length };
  const report = {
    space,
    convention: repository.convention,
    pages: { ...newTally(), unchanged: countUnchanged(repository, plan) },
    files,
    reusableContents: { ...newTally(), unchanged: plan.contents.unchanged },
    variables: { ...newTally(), unchanged: plan.variables.unchanged, failed: plan.variables.problems.length },
    problems,
  };
  for (const { path } of failedIn(repository.problems)) report[getKind(path, repository)].failed += 1;
  return report;
}

const failedIn = (problems: ImportProblem[]): ImportProblem[] => problems.filter(({ kind }) => kind === 'failed');

function getKind(path: string, { files, reusableContents }: Repository): 'pages' | 'files' | 'reusableContents' {
  if (files.includes(path)) return 'files';
  return reusableContents.some((each) => each.path === path) ? 'reusableContents' : 'pages';
}

function countUnchanged(repository: Repository, { matches, steps }: ContentPlan): number {
  const changed = new Set(steps.map((step) => step.wanted));
  const failed = new Set(failedIn(repository.problems).map(({ path }) => path));
  const isFailed = (path: string | undefined) => path !== undefined && failed.has(path);
  return [...walkWanted(repository.roots)].filter(
    (each) => matches.has(each) && !changed.has(each) && !(each.kind === 'page' && isFailed(each.path)),
  ).length;
}

/** Compares by the Git blob ID that the server returns. Only pages without one are downloaded. */
async function comparer({ api, revision, spaceId }: Space, matches: Matches, links: SourceLinks): Promise<Comparer> {
  const untold = [...matches].flatMap(([wanted, page]) =>
    wanted.kind === 'page' && wanted.file && !page.git ? [page] : [],
  );
  const texts = new Map<Present, string | undefined>();
  await mapConcurrently(untold, concurrency, async (present) => {
    const params = { spaceId, revisionId: revision.id, pageId: present.id };
    const page = await api.getPageInRevisionById({ params });
    texts.set(present, page.type === 'document' ? page.markdown : undefined);
  });
  return {
    hasText: (present, { file }) => {
      if (!file) return true;
      return present.git ? present.git.oid === blobId(file.bytes) : (texts.get(present) ?? '') === file.text;
    },
    hasLinks: (present, { path }) => links.isKept(path, present.git),
  };
}
