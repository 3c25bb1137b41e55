import { mapConcurrently } from '@octavo/client';
import { readFrontmatter } from '@octavo/markdown';
import {
  findLongestIncreasing,
  getNewFields,
  getOwnSlug,
  type OutlineSource,
  type Repository,
  type WantedEntry,
  type WantedPage,
  walkWantedEntries,
} from '@octavo/outline';
import type { PageMetadata, Revision } from '@octavo/schema';
import type { Api } from '../api.ts';
import { chooseFileNames } from '../export/file-names.ts';
import { SourceLinks } from './broken-links.ts';
import { type ChangedFile, findChangedFiles } from './changed-files.ts';
import { type Matches, matchPages } from './match.ts';
import { Outline, type Present, presentTree } from './present.ts';
import { createTally, type ImportReport } from './report.ts';
import { type ContentsPlan, planContents, planVariables, type VariablesPlan } from './reusable-contents.ts';
import type { NamedChange } from './send-changes.ts';
import { hashBlob, type ImportProblem } from './source.ts';
import { findSuccessors } from './successors.ts';

/** A step of an import: inserts a page that the space does not have, or updates the parts of a page that differ. */
export interface PlanStep {
  entry: WantedEntry;
  present: Present | undefined;
  /** Whether the page moves to its position among the entries of the repository. */
  isMoved: boolean;
  document: boolean;
  /** Whether the Git link targets of the page's text must be sent again. */
  git: boolean;
  title?: string;
  /** The new slug, if the page's file or folder was renamed. */
  slug?: string;
  hidden?: boolean;
  /** Other metadata to set. */
  fields?: PageMetadata;
}

/** Compares the text of a page, and the links stored for the text, with an entry of the repository. */
interface Comparer {
  hasText: (page: Present, entry: WantedPage) => boolean;
  hasLinks: (page: Present, entry: WantedPage) => boolean;
  /** Whether a page gets a new slug if its file or folder was renamed. */
  isRenaming?: boolean;
}

/** Returns the steps that make the space contain the wanted tree, parents before children. They delete nothing. */
export function planImport(roots: readonly WantedEntry[], matches: Matches, comparer: Comparer): PlanStep[] {
  const movedEntries = findMovedPages(roots, matches);
  const steps: PlanStep[] = [];
  const hidden = new Set<WantedEntry>();
  for (const entry of walkWantedEntries(roots)) {
    const present = matches.get(entry);
    const isBelowHidden = entry.parent !== undefined && hidden.has(entry.parent);
    if (isBelowHidden || isHidden(entry, present)) hidden.add(entry);
    if (present) {
      const step = getUpdate(entry, present, { ...comparer, isBelowHidden });
      step.isMoved = movedEntries.has(entry);
      if (
        step.isMoved ||
        step.document ||
        step.title !== undefined ||
        step.slug !== undefined ||
        step.hidden !== undefined
      )
        steps.push(step);
    } else if (isReadable(entry))
      steps.push({ entry, present, isMoved: true, document: true, git: true, ...getNewFields(entry) });
  }
  return steps;
}

const isReadable = (entry: WantedEntry): boolean =>
  entry.kind !== 'page' || entry.path === undefined || entry.file !== undefined;

function isHidden(entry: WantedEntry, present: Present | undefined): boolean {
  const ownValue =
    entry.kind === 'page' ? (readFrontmatter(entry.file?.text ?? '').values.hidden ?? entry.hidden) : undefined;
  return ownValue ?? present?.hidden ?? false;
}

/** Returns the update of a page. The API returns every page below a hidden page as hidden, whatever its own setting. */
function getUpdate(
  entry: WantedEntry,
  present: Present,
  { isBelowHidden, ...comparer }: Comparer & { isBelowHidden: boolean },
): PlanStep {
  const step: PlanStep = { entry, present, isMoved: false, document: false, git: false };
  const slug = comparer.isRenaming ? getNewSlug(entry, present) : undefined;
  if (slug !== undefined) step.slug = slug;
  if (entry.kind !== 'page') {
    if (entry.title !== present.title) step.title = entry.title;
    return step;
  }
  const { values } = readFrontmatter(entry.file?.text ?? '');
  step.git = entry.file !== undefined && !comparer.hasLinks(present, entry);
  // Links are resolved when a text is written, so send the text again if they differ.
  const isMoved = comparer.isRenaming === true && hasOtherFile(entry, present);
  step.document = entry.file !== undefined && (step.git || isMoved || !comparer.hasText(present, entry));
  const { title } = entry;
  if (title !== undefined && values.title === undefined && title !== present.title) step.title = title;
  const setsHidden = values.hidden !== undefined || (isBelowHidden && present.hidden);
  if (entry.hidden !== undefined && !setsHidden && entry.hidden !== present.hidden) step.hidden = entry.hidden;
  return step;
}

const hasOtherFile = ({ path }: WantedPage, { git }: Present): boolean => git !== undefined && git.path !== path;

function getNewSlug(wanted: WantedEntry, present: Present): string | undefined {
  if (wanted.kind === 'link' || wanted.slug === present.slug) return undefined;
  const isFile = wanted.kind === 'page' && wanted.path !== undefined;
  const isRenamed = isFile ? hasOtherFile(wanted, present) : wanted.title !== present.title;
  return isRenamed && getOwnSlug(isFile ? wanted.file : undefined) === undefined ? wanted.slug : undefined;
}

/** Returns the pages that have a new parent, and those that must move to get the order of their siblings right. */
function findMovedPages(roots: readonly WantedEntry[], matches: Matches): Set<WantedEntry> {
  const movedEntries = new Set<WantedEntry>();
  const collectMovedPages = (siblings: readonly WantedEntry[], parent: Present | undefined, isNew: boolean): void => {
    const remaining = siblings.filter((entry) => {
      const present = matches.get(entry);
      const stays = present !== undefined && !isNew && present.parent === parent;
      if (present && !stays) movedEntries.add(entry);
      return stays;
    });
    const inOrder = findLongestIncreasing(remaining.map((entry) => matches.get(entry)?.index ?? 0));
    remaining.forEach((entry, index) => {
      if (!inOrder.has(index)) movedEntries.add(entry);
    });
    for (const entry of siblings) collectMovedPages(entry.children, matches.get(entry), !matches.has(entry));
  };
  collectMovedPages(roots, undefined, false);
  return movedEntries;
}

const concurrency = 8;

/** The changes that make a space contain a repository. */
export interface ContentPlan {
  source: OutlineSource;
  /** The pages of the space. */
  pages: Present[];
  steps: PlanStep[];
  matches: Matches;
  outline: Outline;
  files: ChangedFile[];
  contents: ContentsPlan;
  variables: VariablesPlan;
  links: SourceLinks;
  /** The name under which new items are stored, so that a later import of the source finds them. */
  importedFrom?: string;
}

interface Space {
  api: Api;
  /** The content of the space, with or without its generated pages. */
  revision: Pick<Revision, 'id' | 'pages' | 'files' | 'reusableContents' | 'variables'>;
  spaceId: string;
  /** Set for an import, which may move pages. A sync finds moves in the history of the repository. */
  importedFrom?: string;
}

/** Compares a repository with the content of a space. */
export async function planContent(source: OutlineSource, repository: Repository, space: Space): Promise<ContentPlan> {
  const { api, revision, spaceId, importedFrom } = space;
  const { roots, files: paths, reusableContents, variables, meanings, outputLocations } = repository;
  const pages = presentTree(revision.pages);
  const matches = await findMatches(roots, pages, { ...space, places: outputLocations });
  const names = chooseFileNames(pages, revision.files, revision.reusableContents, { outputLocations });
  const links = new SourceLinks(meanings);
  return {
    source,
    pages,
    steps: planImport(roots, matches, await createComparer(space, matches, links)),
    matches,
    outline: Outline.fromPages(pages),
    files: await findChangedFiles(source, paths, { present: revision.files, names, importedFrom }),
    contents: await planContents(reusableContents, links, {
      api,
      spaceId,
      present: revision.reusableContents,
      importedFrom,
    }),
    variables: planVariables(variables, revision.variables),
    links,
    ...(importedFrom !== undefined && { importedFrom }),
  };
}

/** Matches pages to the entries of the repository. An import also compares similar texts. */
async function findMatches(
  roots: Repository['roots'],
  pages: Present[],
  { api, revision, spaceId, importedFrom, places }: Space & { places: Repository['outputLocations'] },
): Promise<Matches> {
  const matching = { places, source: importedFrom };
  const matches = matchPages(roots, pages, matching);
  if (importedFrom === undefined || spaceId === '') return matches;
  const comparing = { api, spaceId, revisionId: revision.id, pages, matches, source: importedFrom };
  const successors = await findSuccessors(roots, comparing);
  return successors.size === 0 ? matches : matchPages(roots, pages, { ...matching, successors });
}

export const isEmpty = ({ steps, files, contents, variables }: ContentPlan): boolean =>
  steps.length + files.length + contents.changes.length + variables.changes.length === 0;

/** Returns the report of a plan that has not been carried out yet. */
export function getReport(plan: ContentPlan, repository: Repository, space: string): ImportReport {
  const problems = [...repository.problems, ...plan.links.problems, ...plan.variables.problems];
  const files = { ...createTally(), unchanged: repository.files.length - plan.files.length };
  const report = {
    space,
    convention: repository.convention,
    pages: { ...createTally(), unchanged: countUnchanged(repository, plan) },
    files,
    reusableContents: { ...createTally(), unchanged: plan.contents.unchanged },
    variables: { ...createTally(), unchanged: plan.variables.unchanged, failed: plan.variables.problems.length },
    removed: [],
    moved: getMovedPages(plan),
    problems,
  };
  for (const { path } of filterFailed(repository.problems)) report[getKind(path, repository)].failed += 1;
  return report;
}

const getMovedPages = ({ matches }: ContentPlan): ImportReport['moved'] =>
  [...matches].flatMap(([wanted, { git, path: from, title }]) => {
    const path = wanted.kind === 'page' ? wanted.path : undefined;
    return path === undefined || git === undefined || git.path === path ? [] : [{ title, path, from }];
  });

/** Counts the planned changes in the report, for a dry run. */
export function predictReport(report: ImportReport, { steps, files, contents, variables }: ContentPlan): void {
  const sum = (key: 'created' | 'updated', changes: NamedChange[]) =>
    changes.reduce((total, change) => total + change[key], 0);
  const present = [
    [report.pages, steps],
    [report.files, files],
  ] as const;
  for (const [tally, some] of present) {
    tally.updated = some.filter((each) => each.present !== undefined).length;
    tally.created = some.length - tally.updated;
  }
  for (const [tally, { changes }] of [
    [report.reusableContents, contents],
    [report.variables, variables],
  ] as const) {
    tally.created = sum('created', changes);
    tally.updated = sum('updated', changes);
  }
}

const filterFailed = (problems: ImportProblem[]): ImportProblem[] => problems.filter(({ kind }) => kind === 'failed');

function getKind(path: string, { files, reusableContents }: Repository): 'pages' | 'files' | 'reusableContents' {
  if (files.includes(path)) return 'files';
  return reusableContents.some((each) => each.path === path) ? 'reusableContents' : 'pages';
}

function countUnchanged(repository: Repository, { matches, steps }: ContentPlan): number {
  const changed = new Set(steps.map((step) => step.entry));
  const failed = new Set(filterFailed(repository.problems).map(({ path }) => path));
  const isFailed = (path: string | undefined) => path !== undefined && failed.has(path);
  return [...walkWantedEntries(repository.roots)].filter(
    (entry) => matches.has(entry) && !changed.has(entry) && !(entry.kind === 'page' && isFailed(entry.path)),
  ).length;
}

/** Returns a comparer that uses the Git blob IDs from the server. Only pages without a blob ID are downloaded. */
async function createComparer(
  { api, revision, spaceId, importedFrom }: Space,
  matches: Matches,
  links: SourceLinks,
): Promise<Comparer> {
  const unreadPages = [...matches].flatMap(([entry, page]) =>
    entry.kind === 'page' && entry.file && !page.git ? [page] : [],
  );
  const texts = new Map<Present, string | undefined>();
  await mapConcurrently(unreadPages, concurrency, async (present) => {
    const params = { spaceId, revisionId: revision.id, pageId: present.id };
    const page = await api.getPageInRevisionById({ params });
    texts.set(present, page.type === 'document' ? page.markdown : undefined);
  });
  return {
    hasText: (present, { file }) => {
      if (!file) return true;
      return present.git ? present.git.oid === hashBlob(file.bytes) : (texts.get(present) ?? '') === file.text;
    },
    hasLinks: (present, { path }) => links.isKept(path, present.git),
    isRenaming: importedFrom !== undefined,
  };
}
