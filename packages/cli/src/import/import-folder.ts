import { stat } from 'node:fs/promises';
import { mapConcurrently } from '@octavo/client';
import { type OutlineSource, type Problem, type Repository, readRepository, walkWanted } from '@octavo/outline';
import type { MergeConflict } from '@octavo/schema';
import { type Api, type ApiConnection, connect } from '../api.ts';
import { Failure } from '../failure.ts';
import { readFolder } from '../source/read-folder.ts';
import { readZip } from '../source/read-zip.ts';
import { createSpace } from '../spaces.ts';
import { blobId } from './blob-id.ts';
import { type ChangedFile, changedFiles, readFiles } from './changed-files.ts';
import { type Matches, matchPages } from './match.ts';
import { Outline } from './outline.ts';
import { type IsUnchanged, type PlanStep, planImport } from './plan.ts';
import { type Present, presentTree } from './present.ts';
import { Sender } from './send.ts';
import { FileSender } from './send-files.ts';

const concurrency = 8;
const maxTitleLength = 50;
const maxSubjectLength = 100;

export interface ImportOptions {
  api: ApiConnection;
  /** A folder or a zip archive. */
  folder: string;
  /** The id of a space, or `new`, or what gives the id once the folder has been read. */
  space: string | (() => Promise<string>);
  organization?: string;
  title?: string;
  onProgress?: (done: number, total: number) => void;
}

export interface ImportReport {
  space: string;
  created: number;
  updated: number;
  skipped: number;
  failed: Problem[];
  /** Files beside the pages: images and what pages lead to. */
  files: { created: number; updated: number; skipped: number };
  /** Left out where nothing differed, so that none was made. */
  changeRequest?: string;
  conflicts?: MergeConflict[];
}

/** Brings a folder of markdown into a space through one change request, and merges it. */
export async function importFolder(options: ImportOptions): Promise<ImportReport> {
  const source = await readSource(options.folder);
  const repository = await readRepository(source);
  const { roots, files: wanted } = repository;
  if (roots.length === 0) throw new Failure(`There are no markdown files in ${options.folder}.`);
  const api = connect(options.api);
  const space = await findSpace(api, options, source.name);
  const pages = presentTree((await api.listPages({ params: { spaceId: space } })).pages);
  const matches = matchPages(roots, pages);
  const steps = planImport(roots, matches, await comparer(api, space, matches));
  const files = await changedFiles(api, space, { source, wanted });
  const report = {
    space,
    created: 0,
    updated: 0,
    skipped: countUnchanged(repository, matches, steps),
    failed: failedIn(repository),
    files: { created: 0, updated: 0, skipped: wanted.length - files.length },
  };
  if (steps.length + files.length === 0) return report;
  return sendAll(steps, { api, options, report, matches, outline: Outline.of(pages), source, files });
}

function findSpace(api: Api, { space, title, organization }: ImportOptions, name: string): string | Promise<string> {
  if (typeof space === 'function') return space();
  return space === 'new' ? createSpace(api, titleOfSpace(title ?? name), organization) : space;
}

/** What of a title fits a space's. */
export const titleOfSpace = (title: string): string => title.slice(0, maxTitleLength).toWellFormed();

async function readSource(file: string): Promise<OutlineSource> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new Failure(`There is no folder or archive ${file}.`);
  return found.isDirectory() ? readFolder(file) : readZip(file);
}

const failedIn = ({ problems }: Repository): Problem[] =>
  problems.flatMap(({ kind, path, message }) => (kind === 'failed' ? [{ path, message }] : []));

function countUnchanged(repository: Repository, matches: Matches, steps: PlanStep[]): number {
  const changed = new Set(steps.map((step) => step.wanted));
  const failed = new Set(failedIn(repository).map(({ path }) => path));
  const isFailed = (path: string | undefined) => path !== undefined && failed.has(path);
  return [...walkWanted(repository.roots)].filter(
    (each) => matches.has(each) && !changed.has(each) && !(each.kind === 'page' && isFailed(each.path)),
  ).length;
}

/** Compares by the git blob id that the server tells; only pages without one are downloaded. */
async function comparer(api: Api, space: string, matches: Matches): Promise<IsUnchanged> {
  const untold = [...matches].flatMap(([wanted, page]) =>
    wanted.kind === 'page' && wanted.file && !page.git ? [page] : [],
  );
  const texts = new Map<Present, string | undefined>();
  await mapConcurrently(untold, concurrency, async (present) => {
    const page = await api.getPageById({ params: { spaceId: space, pageId: present.id } });
    texts.set(present, page.type === 'document' ? page.markdown : undefined);
  });
  return (present, { file }) => {
    if (!file) return true;
    return present.git ? present.git.oid === blobId(file.bytes) : (texts.get(present) ?? '') === file.text;
  };
}

interface Sending {
  api: Api;
  options: ImportOptions;
  report: ImportReport;
  matches: Matches;
  outline: Outline;
  source: OutlineSource;
  files: ChangedFile[];
}

/** Files go first, so that the links of the pages find them. */
async function sendAll(steps: PlanStep[], { report, source, files, ...sending }: Sending): Promise<ImportReport> {
  const { api, options, matches, outline } = sending;
  const spaceId = report.space;
  const subject = `Import ${source.name}`.slice(0, maxSubjectLength).toWellFormed();
  const { id } = await api.createChangeRequest({ params: { spaceId }, body: { subject } });
  const params = { spaceId, changeRequestId: id };
  const fileSender = new FileSender({ api, params });
  await fileSender.send(readFiles(source, files));
  const sender = new Sender({ api, space: spaceId, changeRequest: id }, matches, outline);
  sender.onProgress = (done) => options.onProgress?.(done, steps.length);
  await sender.send(steps);
  const failed = [...report.failed, ...fileSender.failed, ...sender.failed];
  const done = { ...report, failed, changeRequest: id };
  if (sender.created + sender.updated + fileSender.created + fileSender.updated === 0) {
    await api.updateChangeRequestById({ params, body: { status: 'archived' } });
    return done;
  }
  const merged = await api.mergeChangeRequest({ params });
  if (merged.result === 'conflicts') return { ...done, conflicts: merged.conflicts ?? [] };
  const written = { ...report.files, created: fileSender.created, updated: fileSender.updated };
  return { ...done, created: sender.created, updated: sender.updated, files: written };
}
