import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { splitIntoJson } from '@octavo/db';
import { readSpecification, SpecificationFault } from '@octavo/specification';

/** The result of reading a specification: its format and parts in UTF-8, or the reason why it is not valid. */
export type ThreadResult = { fault: string } | { format: string; parts: Uint8Array<ArrayBuffer>[] };

/** Lower than the priority of requests. */
const priority = 10;

/** Returns the lists of entries as JSON, and the document, which is empty if the text itself is the document. */
async function parseBytes(bytes: Uint8Array): Promise<ThreadResult> {
  try {
    const { format, document, entries } = await readSpecification(bytes, async () => undefined);
    const lists = splitIntoJson(entries.map((entry, ordinal) => ({ ordinal, ...entry })));
    const texts = [document === undefined ? '' : JSON.stringify(document), ...lists];
    const encoder = new TextEncoder();
    return { format, parts: texts.map((text) => encoder.encode(text)) };
  } catch (error) {
    if (error instanceof SpecificationFault) return { fault: error.message };
    throw error;
  }
}

// On Linux, this is the priority of the current thread.
if (process.platform === 'linux') setPriority(priority);
parentPort?.on('message', async (bytes: Uint8Array) => {
  const result = await parseBytes(bytes);
  const transferred = 'parts' in result ? result.parts.map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(result, transferred);
});
