import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { mapConcurrently, paginate } from '@octavo/client';
import { type OutlineSource, type Repository, type RepositoryOptions, readRepository } from '@octavo/outline';
import type { ChangeRequest, MergeConflict, Revision } from '@octavo/schema';
import { type Source, toStoredName } from '@octavo/space-files';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { collect, createSpace, findEmptyNamesakes, toSpaceTitle } from '../spaces.ts';
import { findBrokenLinks, listBrokenLinks } from './broken-links.ts';
import { checkSpecifications } from './check-specifications.ts';
import { predictBrokenLinks } from './foresee-links.ts';
import { type ContentPlan, getReport, isEmpty, planContent, predictReport } from './plan.ts';
import {
  countRemovedItems,
  planRemovals,
  type RemainingPages,
  type Removals,
  requireConfirmed,
  sendRemovals,
} from './removals.ts';
import { getCounts, type ImportReport, type NamedConflict } from './report.ts';
import { sendContent } from './send-content.ts';
import { type ImportProblem, readSource } from './source.ts';

/** Patterns for the site title in the configuration files of documentation generators. */
const toml = /^title\s*=\s*(["'])(?<title>[^"'\n]+)\1/m;
const yaml = /^(?:site_name|title):[ \t]+(?<quote>["']?)(?<title>[^"'\n#]+?)\k<quote>[ \t]*(?:#.*)?$/m;
const script = /\btitle:\s*(["'`])(?<title>[^"'`\n$]+)\1/;
const configurations: [file: string, title: RegExp][] = [
  ...['book.toml', 'hugo.toml', 'config.toml'].map((file): [string, RegExp] => [file, toml]),
  ...['mkdocs.yml', 'mkdocs.yaml', '_config.yml', 'hugo.yaml'].map((file): [string, RegExp] => [file, yaml]),
  ...['docusaurus.config', '.vitepress/config', 'astro.config'].flatMap((name) =>
    ['js', 'mjs', 'ts', 'mts'].map((ending): [string, RegExp] => [`${name}.${ending}`, script]),
  ),
];

/** Generic folder names that do not identify a project. */
const plain = new Set(['.', 'book', 'content', 'contents', 'doc', 'docs', 'documentation', 'pages', 'site', 'src']);
const maxBytes = 64 * 1024;
const maxAbove = 2;

/** Returns the beginning of a file, or an empty string if the file cannot be read. */
async function readStart(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}

async function findConfiguredTool(folder: string): Promise<string | undefined> {
  for (const [file, pattern] of configurations) {
    const title = pattern.exec(await readStart(path.join(folder, file)))?.groups?.title?.trim();
    if (title) return title;
  }
  return undefined;
}

/**
 * Returns the site title of a folder: the title in the configuration of its generator, otherwise the name of the
 * folder. If a folder without a configuration has a generic name, such as `docs`, its parent folder is used.
 */
export async function findFolderTitle(folder: string): Promise<string> {
  let folderPath = path.resolve(folder).replace(/\.zip$/i, '');
  for (let level = 0; level < maxAbove; level += 1) {
    const title = await findConfiguredTool(folderPath);
    if (title !== undefined) return title;
    if (!plain.has(path.basename(folderPath).toLowerCase()) || path.dirname(folderPath) === folderPath) break;
    folderPath = path.dirname(folderPath);
  }
  return (await findConfiguredTool(folderPath)) ?? path.basename(folderPath);
}

const limit = '1000';
const concurrency = 4;
const mergeNotice = '`octavo import` merges this when all of the folder is in it.';
const mark = new RegExp(`^${mergeNotice}\n\nOctavo-Import: ([\\da-f]{16}) (\\d{1,10})$`);

/** Identifies this machine without revealing its host name. */
const machine = createHash('sha256').update(`octavo import ${hostname()}`).digest('hex').slice(0, 16);

/**
 * Returns the description of an import's change request. Other imports use it to detect whether this import is running.
 */
const createImportMark = (): string => `${mergeNotice}\n\nOctavo-Import: ${machine} ${process.pid}`;

/**
 * Archives drafts that interrupted imports of the same name have left. A draft that a user has opened, renamed, edited
 * or commented on is left unchanged. A draft that an import may still be writing to is only reported.
 */
async function archiveUnfinished(api: Api, ownRequest: ChangeRequest): Promise<ImportProblem[]> {
  const params = { spaceId: ownRequest.space };
  const query = { status: 'draft' as const, creator: ownRequest.createdBy.id, limit };
  const drafts = await collect(
    paginate((page) => api.listChangeRequestsForSpace({ params, query: { ...query, page } })),
  );
  const alike = drafts.filter(
    ({ id, subject, description = '' }) =>
      id !== ownRequest.id && subject === ownRequest.subject && mark.test(description),
  );
  const problems = await mapConcurrently(alike, concurrency, async (draft): Promise<ImportProblem[]> => {
    if (!(await isEditedOnlyByCreator(api, draft))) return [];
    const path = `change request ${draft.number}`;
    if (!isEnded(draft))
      return [
        {
          path,
          kind: 'warning',
          message: 'Another import is writing to it. If that import was interrupted, archive the change request.',
        },
      ];
    const requestParams = { ...params, changeRequestId: draft.id };
    await api.updateChangeRequestById({ params: requestParams, body: { status: 'archived' } });
    return [{ path, kind: 'warning', message: 'Archived, because it was left by an interrupted import.' }];
  });
  return problems.flat();
}

/** Whether a draft has been edited only by its creator and has no comments. */
async function isEditedOnlyByCreator(api: Api, { id, space, createdBy, comments }: ChangeRequest): Promise<boolean> {
  const params = { spaceId: space, changeRequestId: id };
  const { items } = await api.getContributorsByChangeRequestId({ params, query: { limit } });
  return comments === 0 && items.every(({ user }) => user.id === createdBy.id);
}

/**
 * Whether the process that wrote to a draft ran on this machine and has ended. Processes of other machines cannot be
 * checked.
 */
function isEnded({ description = '' }: ChangeRequest): boolean {
  const [, timestamp, pid = ''] = mark.exec(description) ?? [];
  if (timestamp !== machine) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

const maxSubjectLength = 100;

export interface ImportOptions extends RepositoryOptions {
  api: ApiConnection;
  /** Path of a folder or a zip archive. */
  folder: string;
  /**
   * ID of a space, `new`, or a function that returns the ID. The function is called after the folder has been read, and
   * returns undefined if a dry run would create the space.
   */
  space: string | (() => Promise<string | undefined>);
  organization?: string;
  title?: string;
  /** Only reports what an import would do. */
  dryRun?: boolean;
  /** Also removes content that did not come from the source. */
  mirror?: boolean;
  /** Confirms a removal of most pages. */
  yes?: boolean;
  onProgress?: (done: number, total: number) => void;
  /** Adds links to the repository before it is compared with the space. */
  addLinks?: (repository: Repository) => Promise<void>;
}

/** The result of an import, with the redirects and former addresses that the repository defines for a site. */
export interface Imported {
  report: ImportReport;
  redirects: Repository['redirects'];
  formerAddresses: Repository['formerAddresses'];
}

/** Imports a folder into a space with one change request, and merges it. */
export const importFolder = async (options: ImportOptions): Promise<Imported> =>
  importSource(await readSource(options.folder), options);

/** Compares a source with the content of its space. */
async function planImport(source: OutlineSource, options: ImportOptions) {
  const { assets, base, mirror: isMirror = false } = options;
  const repository = await readRepository(source, { ...(assets && { assets }), ...(base !== undefined && { base }) });
  if (repository.roots.length === 0)
    throw new Failure(`${options.folder} contains no markdown files. Nothing was changed.`);
  await options.addLinks?.(repository);
  const api = connect(options.api);
  const spaceId = await findSpace(api, options, source.name);
  const revision = spaceId === undefined ? emptyRevision : await readRevision(api, spaceId);
  const importedFrom = toStoredName(source.name);
  const plan = await planContent(source, repository, { api, revision, spaceId: spaceId ?? '', importedFrom });
  const removals = planRemovals({ repository, revision, plan, name: importedFrom, isMirror });
  return { api, repository, spaceId, revision, plan, removals };
}

/** @throws Failure if the import would remove so many pages that it must be confirmed */
export async function requireConfirmedImport(source: OutlineSource, options: ImportOptions): Promise<void> {
  const { removals } = await planImport(source, options);
  requireConfirmed(removals, options.folder);
}

/** Imports a folder or archive that was opened before. */
export async function importSource(source: OutlineSource, options: ImportOptions): Promise<Imported> {
  const { api, repository, spaceId, revision, plan, removals } = await planImport(source, options);
  const { redirects, formerAddresses } = repository;
  const { dryRun, yes, base } = options;
  const report = getReport(plan, repository, spaceId ?? '');
  report.problems.push(...[...removals.left].map(createStayingPagesProblem));
  const { organization } = options;
  report.problems.push(...(await checkSpecifications({ api, source, repository, spaceId, organization })));
  const imported = {
    source,
    links: plan.links,
    problems: report.problems,
    find: repository.find,
    isBaseGiven: base !== undefined,
  };
  if (dryRun || spaceId === undefined) {
    predictReport(report, plan);
    countRemovedItems(report, removals.items);
    report.brokenLinks = await predictBrokenLinks({ api, spaceId, repository, revision, plan, removals }, imported);
    return { report: { ...report, dryRun: true }, redirects, formerAddresses };
  }
  if (yes !== true) requireConfirmed(removals, options.folder);
  if (options.space === 'new')
    report.problems.push(...(await findEmptyNamesakes(api, spaceId)).map(warnAboutEmptySpace));
  if (!isEmpty(plan) || removals.items.length > 0) await sendContentPlan(plan, { api, options, report, removals });
  if (report.removed.length > 0) report.formerRevision = revision.id;
  if (report.conflicts === undefined)
    report.brokenLinks = await findBrokenLinks(listBrokenLinks(api, spaceId), imported);
  return { report, redirects, formerAddresses };
}

const emptyRevision = { id: '', pages: [], files: [], reusableContents: [], variables: {} };

const readRevision = (api: Api, spaceId: string): Promise<Revision> =>
  api.getCurrentRevision({ params: { spaceId }, query: { computed: 'false' } });

async function findSpace(
  api: Api,
  { space, title, organization, dryRun }: ImportOptions,
  name: string,
): Promise<string | undefined> {
  if (typeof space === 'function') return space();
  if (space !== 'new') return space;
  return dryRun ? undefined : createSpace(api, toSpaceTitle(title ?? name), organization);
}

const createStayingPagesProblem = ([source, { staying, overwritten }]: [Source, RemainingPages]): ImportProblem => ({
  path: source ?? 'an earlier import',
  kind: 'skipped',
  message:
    `Pages from this other source that stay in the space: ${staying}. To remove them, pass --mirror.` +
    (overwritten === 0 ? '' : ` Pages from it whose text was replaced by a file with the same path: ${overwritten}.`),
});

const warnAboutEmptySpace = (space: string): ImportProblem => ({
  path: space,
  kind: 'warning',
  message:
    `This empty space has the same title. If an interrupted import created it, use --space ${space} to ` +
    'import into it.',
});

/** Adds the item's path in the folder and in the space to a conflict. */
function addConflictPaths({ matches, files }: ContentPlan, conflict: MergeConflict): NamedConflict {
  const { kind, id } = conflict;
  const path = kind === 'file' ? files.find(({ present }) => present === id)?.path : undefined;
  const [entry, present] = [...matches].find(([, page]) => page.id === id) ?? [];
  const filePath = entry?.kind === 'page' ? entry.path : path;
  return {
    ...conflict,
    ...(filePath !== undefined && { path: filePath }),
    ...(present?.path && { page: present.path }),
  };
}

/** Returns the subject of an import's change request. */
const getSubject = ({ name }: OutlineSource): string => `Import ${name}`.slice(0, maxSubjectLength).toWellFormed();

interface ImportContext {
  api: Api;
  options: ImportOptions;
  report: ImportReport;
  removals: Removals;
}

async function sendContentPlan(plan: ContentPlan, { api, options, report, removals }: ImportContext): Promise<void> {
  const spaceId = report.space;
  const body = { subject: getSubject(plan.source), description: createImportMark() };
  const changeRequest = await api.createChangeRequest({ params: { spaceId }, body });
  const { id } = changeRequest;
  report.problems.push(...(await archiveUnfinished(api, changeRequest)));
  const params = { spaceId, changeRequestId: id };
  const destination = { api, params };
  const { hasRejected } = await sendContent(plan, destination, { report, onProgress: options.onProgress });
  await sendRemovals(removals, destination, { report, hasRejected });
  report.changeRequest = id;
  const { created, updated, removed } = getCounts(report);
  if (created + updated + removed === 0) {
    await api.updateChangeRequestById({ params, body: { status: 'archived', description: '' } });
    return;
  }
  // The import is complete. Clearing the description prevents other imports from archiving the change request while a
  // user resolves its conflicts.
  await api.updateChangeRequestById({ params, body: { description: '' } });
  const merged = await api.mergeChangeRequest({ params });
  if (merged.result !== 'conflicts') return;
  report.conflicts = (merged.conflicts ?? []).map((each) => addConflictPaths(plan, each));
}
