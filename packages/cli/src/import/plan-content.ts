import { mapConcurrently } from '@octavo/client';
import { type OutlineSource, type Repository, walkWanted } from '@octavo/outline';
import type { Revision } from '@octavo/schema';
import type { Api } from '../api.ts';
import { fileNames } from '../export/file-names.ts';
import { blobId } from './blob-id.ts';
import { type ChangedFile, changedFiles } from './changed-files.ts';
import { type Matches, matchPages } from './match.ts';
import { Outline } from './outline.ts';
import { type Comparer, type PlanStep, planImport } from './plan.ts';
import { type Present, presentTree } from './present.ts';
import type { ImportProblem } from './problem.ts';
import type { ImportReport } from './report.ts';
import { newTally } from './report.ts';
import { type ContentsPlan, planContents } from './reusable-contents.ts';
import { SourceLinks } from './source-links.ts';
import { planVariables, type VariablesPlan } from './variables.ts';

const concurrency = 8;

/** What has to be done so that a space holds all of a repository. */
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
  /** What the space holds, with its generated pages or without. */
  revision: Revision;
  spaceId: string;
}

/** Compares a repository with what a space holds. */
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

/** The report of a plan before anything of it is done. */
export function reportOf(plan: ContentPlan, repository: Repository, space: string): ImportReport {
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
  for (const { path } of failedIn(repository.problems)) report[kindOf(path, repository)].failed += 1;
  return report;
}

const failedIn = (problems: ImportProblem[]): ImportProblem[] => problems.filter(({ kind }) => kind === 'failed');

function kindOf(path: string, { files, reusableContents }: Repository): 'pages' | 'files' | 'reusableContents' {
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

/** Compares by the git blob id that the server tells; only pages without one are downloaded. */
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
