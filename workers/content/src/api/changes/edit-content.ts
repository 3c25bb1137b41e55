import type { Database } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import { ExternalFetchError, fetchExternal, presentChangeRequest } from '@octavo/runtime';
import type { BodyOf, ContentChange, EditableBranchId, Issue, OrganizationId, UserId } from '@octavo/schema';
import {
  ApiError,
  content,
  describeBytes,
  invalid,
  maxBatchFileBytes,
  maxBatchFiles,
  maxFetchedFileBytes,
  maxInlineFileBytes,
  maxWarnings,
  uploadHint,
} from '@octavo/schema';
import type { NamedBytes } from '../../engine/blobs/content-type.ts';
import type { StoredBlob } from '../../engine/blobs/store-blobs.ts';
import { storeBlobs } from '../../engine/blobs/store-blobs.ts';
import type { PreparedChange } from '../../engine/edit/documents.ts';
import { prepareChanges, readChange } from '../../engine/edit/documents.ts';
import type { BranchEdit } from '../../engine/edit/edit-branch.ts';
import { queryEdit } from '../../engine/edit/edit-branch.ts';
import { presentFiles } from '../../engine/reading/file-presenter.ts';
import { describeUnusableUpload, findUploads, refineBlobType } from '../../engine/uploads/use-uploads.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';
import { getHead, limitEdit } from '../../heads/call-head.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';

const maxMilliseconds = 30_000;
const maxFetchMilliseconds = 10_000;
const maxParallelFetches = 4;

type Batch = typeof content.updateSpaceContent | typeof content.updateChangeRequestContent;

interface EditContext
  extends Pick<
    Context<Batch, HeadEnvironment>,
    'env' | 'db' | 'callWorker' | 'urls' | 'space' | 'caller' | 'expected'
  > {
  branch: EditableBranchId;
  rows: BranchEdit['rows'];
  authorizeAgain: FileContext['authorizeAgain'];
}

/**
 * Applies a batch of changes to a branch of the space as one revision. Returns the revision, the results of the
 * changes, and inserted files and frontmatter warnings, if any.
 * @throws ApiError
 */
async function editContent({ changes: inputChanges, revision: base }: BodyOf<Batch>, editing: EditContext) {
  const { env, db, callWorker, urls, space, caller, expected, branch, rows, authorizeAgain } = editing;
  const { prepared, warnings } = await prepareChanges(space.organization, inputChanges);
  const changes = await prepareFiles(
    { env, db, organization: space.organization, user: caller.actor, authorizeAgain },
    prepared,
  );
  const edit = limitEdit({ ...caller, space: space.id, branch, changes, base, expected, rows });
  const result = await callWorker(() => getHead(env, space.id).edit(edit));
  const location = { space: space.id, branch };
  const inserted = result.insertedFiles;
  return {
    revision: result.revision,
    changes: result.changes,
    ...(inserted.length === 0
      ? {}
      : { insertedFiles: await presentFiles(inserted, { env, urls, location, metadata: true }) }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, maxWarnings) }),
  };
}

type FileInput = Pick<
  Extract<ContentChange, { operation: 'insert_files' }>['files'][number],
  'url' | 'base64' | 'upload' | 'contentType' | 'name'
>;

/** A file of a batch with its path in the body. */
interface FileSource {
  file: FileInput;
  change: number;
  path: string;
}

interface FileContext {
  env: ContentEnvironment;
  db: Database;
  organization: OrganizationId;
  user: UserId;
  /** Checks the caller's rights again, because fetching from other servers can be slow. @throws ApiError */
  authorizeAgain: () => Promise<unknown>;
}

/**
 * Fetches, validates and stores the files of a batch before it enters the queue of the space head. The returned changes
 * do not contain the bytes. Blobs of a rejected batch are swept later.
 * @throws ApiError invalid, too_large, unavailable
 */
async function prepareFiles(storing: FileContext, changes: PreparedChange[]) {
  const sources = changes.flatMap(({ change }, index) => getFileSources(change, index));
  if (sources.length === 0) return changes;
  if (sources.length > maxBatchFiles)
    throw new ApiError('too_large', `A batch can insert at most ${maxBatchFiles} files.`);
  const { env, db, organization, authorizeAgain } = storing;
  const uploaded = await findUploadedBlobs(storing, sources);
  const inlineSources = sources.filter((each) => !uploaded.has(each));
  const inputs = await readFiles(env, inlineSources);
  if (inlineSources.some(({ file }) => file.url !== undefined)) await authorizeAgain();
  const blobs = await storeBlobs(env, db, organization, inputs);
  const all = new Map([...uploaded, ...inlineSources.map((each, index) => [each, blobs[index]] as const)]);
  const preparedFiles = sources.map((each) => ({ change: each.change, name: each.file.name, blob: all.get(each) }));
  return changes.map((prepared, index): PreparedChange => {
    const files = preparedFiles.flatMap(({ change, name, blob }) =>
      change === index && blob !== undefined ? [{ name, blob }] : [],
    );
    return files.length === 0 ? prepared : { ...prepared, change: omitBytes(prepared.change), files };
  });
}

/** Finds the blobs of uploaded files. @throws ApiError invalid */
async function findUploadedBlobs(
  { db, organization, user }: FileContext,
  sources: FileSource[],
): Promise<Map<FileSource, StoredBlob>> {
  const uploadKeys = sources.flatMap((each) =>
    each.file.upload === undefined ? [] : [{ each, key: each.file.upload }],
  );
  if (uploadKeys.length === 0) return new Map();
  const keys = [...new Set(uploadKeys.map(({ key }) => key))];
  const uploads = await findUploads(db, { organization, user }, keys);
  const issues: Issue[] = [];
  const blobs = uploadKeys.flatMap(({ each, key }): [FileSource, StoredBlob][] => {
    const upload = uploads.get(key);
    if (upload !== undefined && 'blob' in upload) return [[each, refineBlobType(upload.blob, each.file)]];
    issues.push({ path: `${each.path}.upload`, message: describeUnusableUpload(upload) });
    return [];
  });
  if (issues.length > 0) throw invalid(issues);
  return new Map(blobs);
}

function omitBytes(change: ContentChange): ContentChange {
  if (change.operation === 'insert_files') return { ...change, files: change.files.map((file) => omitBase64(file)) };
  return change.operation === 'update_file' ? omitBase64(change) : change;
}

const omitBase64 = <Given extends { base64?: string | undefined }>({ base64, ...rest }: Given) => rest;

function getFileSources(change: ContentChange, index: number): FileSource[] {
  const path = `body.changes.${index}`;
  if (change.operation === 'insert_files')
    return change.files.map((file, at) => ({ file, change: index, path: `${path}.files.${at}` }));
  const hasBytes = change.operation === 'update_file' && (change.url ?? change.base64 ?? change.upload) !== undefined;
  return hasBytes ? [{ file: { ...change, name: change.name ?? '' }, change: index, path }] : [];
}

/** Reads all files, fetching a few at a time. Their total size stays within the limit of a batch. */
async function readFiles(env: ContentEnvironment, sources: FileSource[]): Promise<NamedBytes[]> {
  const deadline = Date.now() + maxMilliseconds;
  const files: NamedBytes[] = [];
  let remainingBytes = maxBatchFileBytes;
  for (let start = 0; start < sources.length; start += maxParallelFetches) {
    const batch = sources.slice(start, start + maxParallelFetches);
    const settled = await Promise.allSettled(batch.map((each) => readFile(env, each, { deadline, remainingBytes })));
    throwFailures(settled);
    const batchFiles = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    remainingBytes -= batchFiles.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (remainingBytes < 0)
      throw new ApiError(
        'too_large',
        `The files of a batch can have at most ${describeBytes(maxBatchFileBytes)} in total. ${uploadHint}.`,
      );
    files.push(...batchFiles);
  }
  return files;
}

function throwFailures(settled: PromiseSettledResult<NamedBytes>[]): void {
  const reasons = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const issues: Issue[] = reasons.flatMap((reason) => (reason instanceof FileError ? [reason.issue] : []));
  if (issues.length > 0) throw invalid(issues);
  if (reasons.length > 0) throw reasons[0];
}

/** An error in one file. */
class FileError extends Error {
  override name = 'FileError';
  readonly issue: Issue;

  constructor(path: string, message: string) {
    super(message);
    this.issue = { path, message };
  }
}

interface ReadLimits {
  /** The deadline, in milliseconds since 1970. */
  deadline: number;
  /** Number of bytes left for the batch. */
  remainingBytes: number;
}

async function readFile(env: ContentEnvironment, { file, path }: FileSource, bounds: ReadLimits): Promise<NamedBytes> {
  const { url, base64, name, contentType } = file;
  if (url !== undefined) return fetchFile(env, { url, name, contentType, path: `${path}.url` }, bounds);
  return { bytes: decodeBase64(base64 ?? '', `${path}.base64`), name, contentType };
}

interface Address {
  url: string;
  name: string;
  contentType: string | undefined;
  path: string;
}

async function fetchFile(env: ContentEnvironment, { url, name, contentType, path }: Address, bounds: ReadLimits) {
  const milliseconds = Math.min(maxFetchMilliseconds, bounds.deadline - Date.now());
  if (milliseconds <= 0)
    throw new FileError(path, `was not fetched: a batch can spend at most ${maxMilliseconds / 1000} s on downloads`);
  try {
    const bytes = Math.min(maxFetchedFileBytes, bounds.remainingBytes);
    const resource = await fetchExternal(env, url, { milliseconds, bytes });
    const declared = contentType ?? resource.headers.get('content-type') ?? undefined;
    return { bytes: resource.bytes, name, contentType: declared };
  } catch (error) {
    throw error instanceof ExternalFetchError ? new FileError(path, error.message) : error;
  }
}

function decodeBase64(base64: string, path: string): Uint8Array {
  const bytes = tryDecodeBase64(base64);
  if (bytes === undefined) throw new FileError(path, 'must be base64');
  if (bytes.length > maxInlineFileBytes)
    throw new FileError(path, `must be at most ${describeBytes(maxInlineFileBytes)} when decoded. ${uploadHint}`);
  return bytes;
}

function tryDecodeBase64(base64: string): Uint8Array | undefined {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}

const queryBatch = ({ changes }: BodyOf<Batch>, edited: Parameters<typeof queryEdit>[1]) =>
  queryEdit(changes.map(readChange), edited);

export const updateSpaceContent = handler('updateSpaceContent', {
  reads: ({ body }, { space, branch }) => queryBatch(body, { space, branch, isLive: true }),
  handle: ({ params, body }, context, rows) => {
    const authorizeAgain = () => context.authorizeOther(content.updateSpaceContent, params);
    return editContent(body, { ...context, branch: context.space.id, rows, authorizeAgain });
  },
});

export const updateChangeRequestContent = handler('updateChangeRequestContent', {
  reads: ({ body }, { space, branch }) => queryBatch(body, { space, branch, isLive: false }),
  handle: async ({ params, body, query }, context, rows) => {
    const { changeRequest: record, urls, authorizeOther } = context;
    const authorizeAgain = () => authorizeOther(content.updateChangeRequestContent, params);
    const { revision, ...result } = await editContent(body, { ...context, branch: record.id, rows, authorizeAgain });
    const changed = { ...record, head: { ...record.head, id: revision }, updatedAt: Date.now() };
    const changeRequest = presentChangeRequest(changed, urls);
    const { warnings } = result;
    return query.compat ? { ...changeRequest, ...(warnings && { warnings }) } : { changeRequest, ...result };
  },
});
