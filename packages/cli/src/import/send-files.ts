import type { Problem } from '@octavo/outline';
import { type ContentChange, maxChanges } from '@octavo/schema';
import type { Api } from '../api.ts';
import { refusedChanges } from './refused-changes.ts';

const maxBatchBytes = 8 * 1024 * 1024;

/** A file to be brought in; `present` is the id of the file that it takes the place of. */
export interface FileStep {
  path: string;
  bytes: Uint8Array;
  present: string | undefined;
}

interface Destination {
  api: Api;
  params: { spaceId: string; changeRequestId: string };
}

/** Sends files in batches. One that the server refuses is left out, and the batch sent again. */
export class FileSender {
  created = 0;
  updated = 0;
  readonly failed: Problem[] = [];
  readonly #destination: Destination;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  async send(steps: AsyncIterable<FileStep>): Promise<void> {
    let batch: FileStep[] = [];
    let bytes = 0;
    for await (const step of steps) {
      if (batch.length === maxChanges || (batch.length > 0 && bytes + step.bytes.length > maxBatchBytes)) {
        await this.#sendBatch(batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(step);
      bytes += step.bytes.length;
    }
    await this.#sendBatch(batch);
  }

  async #sendBatch(steps: FileStep[]): Promise<void> {
    let left = steps;
    while (left.length > 0) {
      const refused = await this.#write(left);
      for (const [index, message] of refused) this.failed.push({ path: left[index]?.path ?? '', message });
      if (refused.size === 0) {
        for (const { present } of left) present === undefined ? this.created++ : this.updated++;
        return;
      }
      left = left.filter((_, index) => !refused.has(index));
    }
  }

  async #write(steps: FileStep[]): Promise<Map<number, string>> {
    const { api, params } = this.#destination;
    try {
      await api.updateChangeRequestContent({ params, body: { changes: steps.map(encodeFile) } });
      return new Map();
    } catch (error) {
      return refusedChanges(error);
    }
  }
}

/** The server tells the type from the bytes and the name. */
function encodeFile({ path, bytes, present }: FileStep): ContentChange {
  const name = path.split('/').at(-1) ?? path;
  const content = { base64: Buffer.from(bytes).toString('base64'), contentType: 'application/octet-stream' };
  if (present !== undefined) return { operation: 'update_file', file: present, name, ...content };
  return { operation: 'insert_files', files: [{ name, git: { path }, ...content }] };
}
