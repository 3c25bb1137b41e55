import { mapConcurrently } from '@octavo/client';
import { type OutlineSource, type Repository, walkOutlineEntries } from '@octavo/outline';
import type { Revision } from '@octavo/schema';
import {
  type Comparer,
  chooseFileNames,
  type Matches,
  matchPages,
  type PlanStep,
  type Present,
  planImport,
  presentTree,
} from '@octavo/space-files';
import type { Api } from '../api.ts';
import { SourceLinks } from './broken-links.ts';
import { type ChangedFile, findChangedFiles } from './changed-files.ts';
import { Outline } from './outline.ts';
import { createTally, type ImportReport } from './report.ts';
import { type ContentsPlan, planContents, planVariables, type VariablesPlan } from './reusable-contents.ts';
import type { NamedChange } from './send-changes.ts';
import { hashBlob, type ImportProblem } from './source.ts';
import { findSuccessors } from './successors.ts';

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
  const { roots, files: paths, reusableContents, variables, resolvedTargets, outputLocations } = repository;
  const pages = presentTree(revision.pages);
  const matches = await findMatches(roots, pages, { ...space, places: outputLocations });
  const names = chooseFileNames(pages, revision.files, revision.reusableContents, { outputLocations });
  const links = new SourceLinks(resolvedTargets);
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
  const matching = { places, source: importedFrom === undefined ? undefined : { name: importedFrom, hashBlob } };
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
  [...matches].flatMap(([wantedEntry, { git, path: from, title }]) => {
    const path = wantedEntry.kind === 'page' ? wantedEntry.path : undefined;
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
  return [...walkOutlineEntries(repository.roots)].filter(
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
