import { type OutlineSource, type Repository, type RepositoryOptions, readRepository } from '@octavo/outline';
import type { MergeConflict } from '@octavo/schema';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import type { NamedConflict } from '../named-conflict.ts';
import { createSpace, emptyAlike } from '../spaces.ts';
import { findBrokenLinks } from './broken-links.ts';
import { type ContentPlan, isEmpty, planContent, reportOf } from './plan-content.ts';
import type { ImportProblem } from './problem.ts';
import { readSource } from './read-source.ts';
import { countsOf, type ImportReport } from './report.ts';
import { sendContent } from './send-content.ts';
import { archiveUnfinished, markOfImport } from './unfinished.ts';

const maxTitleLength = 50;
const maxSubjectLength = 100;

export interface ImportOptions extends RepositoryOptions {
  api: ApiConnection;
  /** A folder or a zip archive. */
  folder: string;
  /** The id of a space, or `new`, or what gives the id once the folder has been read. */
  space: string | (() => Promise<string>);
  organization?: string;
  title?: string;
  onProgress?: (done: number, total: number) => void;
}

/** What an import did, and the old addresses of the repository, which are those of a site. */
export interface Imported {
  report: ImportReport;
  redirects: Repository['redirects'];
}

/** Brings all of a folder into a space through one change request, and merges it. */
export async function importFolder(options: ImportOptions): Promise<Imported> {
  const source = await readSource(options.folder);
  const { assets, base } = options;
  const repository = await readRepository(source, { ...(assets && { assets }), ...(base !== undefined && { base }) });
  const { roots, redirects } = repository;
  if (roots.length === 0) throw new Failure(`There are no markdown files in ${options.folder}.`);
  const api = connect(options.api);
  const spaceId = await findSpace(api, options, source.name);
  const revision = await api.getCurrentRevision({ params: { spaceId }, query: { computed: 'false' } });
  const plan = await planContent(source, repository, { api, revision, spaceId });
  const report = reportOf(plan, repository, spaceId);
  if (options.space === 'new') report.problems.push(...(await emptyAlike(api, spaceId)).map(leftEmpty));
  if (!isEmpty(plan)) await sendAll(plan, { api, options, report });
  if (report.conflicts === undefined)
    report.brokenLinks = await findBrokenLinks(api, spaceId, {
      source,
      links: plan.links,
      problems: report.problems,
      find: repository.find,
      isBaseGiven: base !== undefined,
    });
  return { report, redirects };
}

function findSpace(api: Api, { space, title, organization }: ImportOptions, name: string): string | Promise<string> {
  if (typeof space === 'function') return space();
  return space === 'new' ? createSpace(api, titleOfSpace(title ?? name), organization) : space;
}

const leftEmpty = (space: string): ImportProblem => ({
  path: space,
  kind: 'warning',
  message: `The space has the same title and is empty. Where an import that was ended left it, --space ${space} takes it.`,
});

/** Where what is in conflict is, in the folder and in the space. */
function namedIn({ matches, files }: ContentPlan, conflict: MergeConflict): NamedConflict {
  const { kind, id } = conflict;
  const path = kind === 'file' ? files.find(({ present }) => present === id)?.path : undefined;
  const [wanted, present] = [...matches].find(([, each]) => each.id === id) ?? [];
  const at = wanted?.kind === 'page' ? wanted.path : path;
  return { ...conflict, ...(at !== undefined && { path: at }), ...(present?.path && { page: present.path }) };
}

/** What of a title fits a space's. */
export const titleOfSpace = (title: string): string => title.slice(0, maxTitleLength).toWellFormed();

/** How a change request of an import is called. */
export const subjectOf = ({ name }: OutlineSource): string =>
  `Import ${name}`.slice(0, maxSubjectLength).toWellFormed();

interface Sending {
  api: Api;
  options: ImportOptions;
  report: ImportReport;
}

async function sendAll(plan: ContentPlan, { api, options, report }: Sending): Promise<void> {
  const spaceId = report.space;
  const body = { subject: subjectOf(plan.source), description: markOfImport() };
  const begun = await api.createChangeRequest({ params: { spaceId }, body });
  const { id } = begun;
  report.problems.push(...(await archiveUnfinished(api, begun)));
  const params = { spaceId, changeRequestId: id };
  await sendContent(plan, { api, params }, { report, onProgress: options.onProgress });
  report.changeRequest = id;
  const { created, updated } = countsOf(report);
  if (created + updated === 0) {
    await api.updateChangeRequestById({ params, body: { status: 'archived', description: '' } });
    return;
  }
  // Whole from here on: where it comes into conflict, it is a person's.
  await api.updateChangeRequestById({ params, body: { description: '' } });
  const merged = await api.mergeChangeRequest({ params });
  if (merged.result !== 'conflicts') return;
  report.conflicts = (merged.conflicts ?? []).map((each) => namedIn(plan, each));
}
