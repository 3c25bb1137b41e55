import { mapConcurrently } from '@octavo/client';
import type { Problem } from '@octavo/outline';
import { type ContentChange, isApiError, maxChanges, maxUploadBytes } from '@octavo/schema';
import type { Api } from '../api.ts';
import { refusedChanges } from './refused-changes.ts';
import { uploadFile } from './upload-file.ts';

/** What a batch brings along in its body; a larger file is uploaded by itself, and named. */
const maxInlineBytes = 64 * 1024;
/** What is held of a folder at a time, but for one file that is larger. */
const maxHeldBytes = 32 * 1024 * 1024;
const uploadsAtOnce = 8;

/** A file to be brought in; `present` is the id of the file that it takes the place of. */
export interface FileStep {
  path: string;
  /** Empty where the file is larger than a server takes. */
  bytes: Uint8Array;
  size: number;
  present: string | undefined;
}

/** A file whose bytes the server has, or takes with the batch. */
interface PreparedStep {
  step: Pick<FileStep, 'path' | 'present'>;
  content: { upload: string } | { base64: string; contentType: string };
}

interface Destination {
  api: Api;
  params: { spaceId: string; changeRequestId: string };
}

/**
 * Sends files in batches, and while one is taken the uploads of the next. One that the server refuses is left out, and
 * the batch sent again.
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
    for await (const some of inGroups(steps)) {
      const prepared = await this.#prepare(some);
      await sending;
      sending = this.#sendBatch(prepared);
      // What went wrong is told where it is waited for.
      sending.catch(() => undefined);
    }
    await sending;
  }

  async #prepare(steps: FileStep[]): Promise<PreparedStep[]> {
    const prepared = await mapConcurrently(steps, uploadsAtOnce, async (step) => {
      const content = await this.#contentOf(step);
      return content === undefined ? [] : [{ step, content }];
    });
    return prepared.flat();
  }

  async #contentOf({ path, bytes, size }: FileStep): Promise<PreparedStep['content'] | undefined> {
    if (size > maxUploadBytes) {
      this.failed.push({ path, message: `The file has ${size} bytes; a file may have ${maxUploadBytes}.` });
      return undefined;
    }
    if (size <= maxInlineBytes)
      return { base64: Buffer.from(bytes).toString('base64'), contentType: 'application/octet-stream' };
    try {
      const file = { name: nameOf(path), bytes };
      return { upload: await uploadFile(this.#destination.api, await this.#findOrganization(), file) };
    } catch (error) {
      if (!isApiError(error) || error.type !== 'invalid') throw error;
      this.failed.push({ path, message: error.message });
      return undefined;
    }
  }

  #findOrganization(): Promise<string> {
    const { api, params } = this.#destination;
    this.#organization ??= api.getSpaceById({ params }).then(({ organization }) => organization);
    return this.#organization;
  }

  async #sendBatch(steps: PreparedStep[]): Promise<void> {
    let left = steps;
    while (left.length > 0) {
      const refused = await this.#write(left);
      for (const [index, message] of refused) this.failed.push({ path: left[index]?.step.path ?? '', message });
      if (refused.size === 0) {
        for (const { step } of left) step.present === undefined ? this.created++ : this.updated++;
        return;
      }
      left = left.filter((_, index) => !refused.has(index));
    }
  }

  async #write(steps: PreparedStep[]): Promise<Map<number, string>> {
    const { api, params } = this.#destination;
    try {
      await api.updateChangeRequestContent({ params, body: { changes: steps.map(changeOf) } });
      return new Map();
    } catch (error) {
      return refusedChanges(error);
    }
  }
}

/** As many files as one batch takes, and as may be held at a time. */
async function* inGroups(steps: AsyncIterable<FileStep>): AsyncGenerator<FileStep[]> {
  let group: FileStep[] = [];
  let held = 0;
  for await (const step of steps) {
    if (group.length === maxChanges || (group.length > 0 && held + step.bytes.length > maxHeldBytes)) {
      yield group;
      [group, held] = [[], 0];
    }
    group.push(step);
    held += step.bytes.length;
  }
  if (group.length > 0) yield group;
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** The server tells the type from the bytes and the name. */
function changeOf({ step: { path, present }, content }: PreparedStep): ContentChange {
  const name = nameOf(path);
  if (present !== undefined) return { operation: 'update_file', file: present, name, ...content };
  return { operation: 'insert_files', files: [{ name, git: { path }, ...content }] };
}
