import { setTimeout as sleep } from 'node:timers/promises';
import { getResponseValue, mapConcurrently, type TextResponse } from '@octavo/client';
import type { Problem } from '@octavo/outline';
import {
  type ContentChange,
  isApiError,
  maxBundleBytes,
  maxBundleFiles,
  maxChanges,
  maxUploadBytes,
} from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { parseRefusedChanges } from './send-changes.ts';

const attempts = 6;
/**
 * `maxRetryAfterResponses` is the maximum number of `Retry-After` responses, which a server sends while many clients
 * upload. The first wait is `firstWaitMs`; later waits double up to `maxWaitMs`.
 */
const maxRetryAfterResponses = 100;
const firstWaitMs = 200;
const maxWaitMs = 60_000;

interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** Uploads a file to an organization, and resumes it if the connection breaks. Returns the key of the upload. */
async function uploadFile(api: Api, organizationId: string, { name, bytes }: NamedFile): Promise<string> {
  const file = { name, type: 'application/octet-stream', size: bytes.length };
  const params = { organizationId };
  const { url, key } = await api.generateStorageUploadURL({ params, body: { file, kind: 'import_file' } });
  await sendBytes(url, bytes);
  return key;
}

/**
 * Uploads small files in one request: at most `maxBundleFiles` files with `maxBundleBytes` in total. Returns the keys
 * of the uploads, in the order of the files.
 */
async function uploadFiles(api: Api, organizationId: string, files: NamedFile[]): Promise<string[]> {
  const descriptions = files.map(({ name, bytes }) => ({ name, type: 'application/octet-stream', size: bytes.length }));
  const params = { organizationId };
  const { url, keys = [] } = await api.generateStorageUploadURL({
    params,
    body: { files: descriptions, kind: 'import_file' },
  });
  const body = Buffer.concat(files.map(({ bytes }) => bytes));
  await sendAll(() => sendRequest(url, { method: 'PUT', body }));
  return keys;
}

/** The result of one request; undefined if its connection broke. */
type Outcome = TextResponse | undefined;

const sendBytes = (url: string, bytes: Uint8Array): Promise<void> =>
  sendAll(
    () => sendRequest(url, { method: 'PUT', body: bytes }),
    () => resumeUpload(url, bytes),
  );

/** Sends requests until the server has received everything. Retries call `retry`, which is `begin` by default. */
async function sendAll(begin: () => Promise<Outcome>, retry = begin): Promise<void> {
  let outcome = await begin();
  let busyResponses = 0;
  for (let attempt = 1; !outcome?.response.ok; ) {
    if (outcome !== undefined && !canRetry(outcome)) getResponseValue(outcome);
    if (attempt >= attempts || busyResponses >= maxRetryAfterResponses) throw createUnfinishedError(outcome);
    await sleep(getRetryWait(outcome, attempt));
    if (isBusy(outcome)) busyResponses += 1;
    else attempt += 1;
    outcome = await retry();
  }
}

/** Resumes an upload at the offset that the server reports. */
async function resumeUpload(url: string, bytes: Uint8Array): Promise<Outcome> {
  const outcome = await sendRequest(url, { method: 'HEAD' });
  if (!outcome?.response.ok) return outcome;
  const offset = Number(outcome.response.headers.get('upload-offset'));
  if (offset === bytes.length) return outcome;
  return sendRequest(url, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
    },
    body: bytes.subarray(offset),
  });
}

async function sendRequest(url: string, init: Omit<RequestInit, 'body'> & { body?: Uint8Array }): Promise<Outcome> {
  try {
    const response = await fetch(url, init as RequestInit);
    return { response, text: await response.text() };
  } catch {
    return undefined;
  }
}

/**
 * Whether a retry can succeed. A 409 means that the server's offset differs from the assumed one, for example after a
 * lost response.
 */
const canRetry = ({ response: { status } }: TextResponse): boolean => status === 409 || status === 429 || status >= 500;

const isBusy = (outcome: Outcome): boolean =>
  outcome !== undefined && [429, 503].includes(outcome.response.status) && outcome.response.headers.has('retry-after');

function getRetryWait(outcome: Outcome, attempt: number): number {
  const seconds = Number(outcome?.response.headers.get('retry-after') ?? Number.NaN);
  return Math.min(seconds >= 0 ? seconds * 1000 : firstWaitMs * 2 ** (attempt - 1), maxWaitMs);
}

function createUnfinishedError(outcome: Outcome): Error {
  if (outcome === undefined) return new Failure(`The connection was lost ${attempts} times while uploading a file.`);
  try {
    getResponseValue(outcome);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return new Failure('The server did not accept the file.');
}

/** Files up to this size are sent in the body of a batch. Larger files are uploaded first and referenced by key. */
const maxInlineBytes = 64 * 1024;
/** Files up to this size are uploaded in bundles. Each larger file is uploaded separately. */
const maxBundledBytes = 2 * 1024 * 1024;
/** Maximum number of bytes in memory at a time, except for a single larger file. */
const maxHeldBytes = 32 * 1024 * 1024;
/** Maximum number of concurrent uploads. It is lower than the number that a server accepts. */
const uploadsAtOnce = 4;

/** A file to import. `present` is the ID of the file that it replaces. */
export interface FileStep {
  path: string;
  /** The bytes of the file; empty if it exceeds the upload limit. */
  bytes: Uint8Array;
  size: number;
  present: string | undefined;
  /** The name of the source of a new file. */
  importedFrom?: string | undefined;
}

/** A file whose bytes are uploaded, or are sent with the batch. */
interface PreparedStep {
  step: FileStep;
  content: { upload: string } | { base64: string; contentType: string };
}

interface Destination {
  api: Api;
  params: { spaceId: string; changeRequestId: string };
}

/**
 * A sender of files in batches. While the server writes one batch, the files of the next batch are uploaded. If the
 * server rejects a file, the batch is sent again without it.
 */
export class FileSender {
  created = 0;
  updated = 0;
  readonly failed: Problem[] = [];
  readonly #destination: Destination;
  #organization: Promise<string> | undefined;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  async send(steps: AsyncIterable<FileStep>): Promise<void> {
    let sending = Promise.resolve();
    for await (const group of splitIntoGroups(steps)) {
      const prepared = await this.#prepare(group);
      await sending;
      sending = this.#sendBatch(prepared);
      // Errors are thrown where `sending` is awaited. This handler only prevents an unhandled rejection.
      sending.catch(() => undefined);
    }
    await sending;
  }

  async #prepare(steps: FileStep[]): Promise<PreparedStep[]> {
    const fittingSteps = steps.filter((step) => this.#fits(step));
    const inline = fittingSteps.filter(({ size }) => size <= maxInlineBytes).map(inlineFile);
    const uploads = groupIntoUploads(fittingSteps.filter(({ size }) => size > maxInlineBytes));
    const uploaded = await mapConcurrently(uploads, uploadsAtOnce, (steps) => this.#upload(steps));
    const prepared = new Map([...inline, ...uploaded.flat()].map((step) => [step.step, step]));
    return steps.flatMap((step) => prepared.get(step) ?? []);
  }

  #fits({ path, size }: FileStep): boolean {
    if (size <= maxUploadBytes) return true;
    this.failed.push({ path, message: `The file has ${size} bytes. A file can have at most ${maxUploadBytes} bytes.` });
    return false;
  }

  /** Uploads files together, or one by one if the server rejects them together. */
  async #upload(steps: FileStep[]): Promise<PreparedStep[]> {
    try {
      const keys = await this.#getKeys(steps);
      return steps.map((step, index) => ({ step, content: { upload: keys[index] ?? '' } }));
    } catch (error) {
      if (!isApiError(error) || error.type !== 'invalid') throw error;
      if (steps.length > 1) return (await Promise.all(steps.map((step) => this.#upload([step])))).flat();
      this.failed.push(...steps.map(({ path }) => ({ path, message: error.message })));
      return [];
    }
  }

  async #getKeys(steps: FileStep[]): Promise<string[]> {
    const organization = await this.#findOrganization();
    const files = steps.map(({ path, bytes }) => ({ name: getName(path), bytes }));
    const [first] = files;
    return files.length === 1 && first !== undefined
      ? [await uploadFile(this.#destination.api, organization, first)]
      : uploadFiles(this.#destination.api, organization, files);
  }

  #findOrganization(): Promise<string> {
    const { api, params } = this.#destination;
    this.#organization ??= api.getSpaceById({ params }).then(({ organization }) => organization);
    return this.#organization;
  }

  async #sendBatch(steps: PreparedStep[]): Promise<void> {
    let remaining = steps;
    while (remaining.length > 0) {
      const refusals = await this.#write(remaining);
      for (const [index, message] of refusals) this.failed.push({ path: remaining[index]?.step.path ?? '', message });
      if (refusals.size === 0) {
        for (const { step } of remaining) step.present === undefined ? this.created++ : this.updated++;
        return;
      }
      remaining = remaining.filter((_, index) => !refusals.has(index));
    }
  }

  async #write(steps: PreparedStep[]): Promise<Map<number, string>> {
    const { api, params } = this.#destination;
    try {
      await api.updateChangeRequestContent({ params, body: { changes: steps.map(getChange) } });
      return new Map();
    } catch (error) {
      return parseRefusedChanges(error);
    }
  }
}

/** Yields groups of files that fit in one batch and in the memory limit. */
async function* splitIntoGroups(steps: AsyncIterable<FileStep>): AsyncGenerator<FileStep[]> {
  let group: FileStep[] = [];
  let size = 0;
  for await (const step of steps) {
    if (group.length === maxChanges || (group.length > 0 && size + step.bytes.length > maxHeldBytes)) {
      yield group;
      [group, size] = [[], 0];
    }
    group.push(step);
    size += step.bytes.length;
  }
  if (group.length > 0) yield group;
}

const inlineFile = (step: FileStep): PreparedStep => ({
  step,
  content: { base64: Buffer.from(step.bytes).toString('base64'), contentType: 'application/octet-stream' },
});

/** Groups files into uploads: small files in bundles, each larger file alone. */
function groupIntoUploads(steps: FileStep[]): FileStep[][] {
  const uploads = steps.filter(({ size }) => size > maxBundledBytes).map((step) => [step]);
  let bundle: FileStep[] = [];
  let bytes = 0;
  for (const step of steps.filter(({ size }) => size <= maxBundledBytes)) {
    if (bundle.length === maxBundleFiles || bytes + step.bytes.length > maxBundleBytes) [bundle, bytes] = [[], 0];
    if (bundle.length === 0) uploads.push(bundle);
    bundle.push(step);
    bytes += step.bytes.length;
  }
  return uploads;
}

const getName = (path: string): string => path.split('/').at(-1) ?? path;

/** Returns the change for a file. The server detects its type from the bytes and the name. */
function getChange({ step: { path, present, importedFrom }, content }: PreparedStep): ContentChange {
  const name = getName(path);
  if (present !== undefined) return { operation: 'update_file', file: present, name, ...content };
  return {
    operation: 'insert_files',
    files: [{ name, git: { path }, ...(importedFrom !== undefined && { importedFrom }), ...content }],
  };
}
