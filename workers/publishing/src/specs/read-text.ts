import { splitIntoJson } from '@octavo/db';
import { toJsonBytes, waitForSlice } from '@octavo/runtime';
import { readSpecification, SpecificationFault } from '@octavo/specification';
import type { PublishingEnvironment } from '../environment.ts';

interface ReadText {
  format: 'json' | 'yaml';
  /** The document in OpenAPI 3 as JSON. Undefined if it is the text itself. */
  document: Uint8Array | undefined;
  /** The entries with their ordinals, as JSON arrays. */
  entryLists: string[];
}

/**
 * Reads the text of a specification, on one machine in a separate thread, because all requests wait for a step in this
 * one. @throws SpecificationFault
 */
export const readText = (bytes: Uint8Array, { SPECIFICATIONS: server }: PublishingEnvironment): Promise<ReadText> =>
  server === undefined ? parseInWorker(bytes) : parseInService(bytes, server);

async function parseInWorker(bytes: Uint8Array): Promise<ReadText> {
  const { format, document, entries } = await readSpecification(bytes, waitForSlice);
  await waitForSlice();
  return {
    format,
    document: document && (await toJsonBytes(document)),
    entryLists: splitIntoJson(entries.map((entry, ordinal) => ({ ordinal, ...entry }))),
  };
}

/** The header of the server in packages/platform/src/specification-server.ts. The first part is the document. */
interface Parts {
  format: ReadText['format'];
  lengths: number[];
}

async function parseInService(bytes: Uint8Array, server: Fetcher): Promise<ReadText> {
  const response = await server.fetch('http://specifications/', { method: 'POST', body: bytes });
  if (response.status === 422) throw new SpecificationFault(await response.text());
  if (!response.ok) throw new Error(`The specification could not be read: ${await response.text()}`);
  const { format, lengths } = JSON.parse(response.headers.get('octavo-parts') ?? '') as Parts;
  const body = new Uint8Array(await response.arrayBuffer());
  const [documentLength = 0, ...listLengths] = lengths;
  const decoder = new TextDecoder();
  const entryLists: string[] = [];
  let offset = documentLength;
  for (const length of listLengths) {
    await waitForSlice();
    entryLists.push(decoder.decode(body.subarray(offset, offset + length)));
    offset += length;
  }
  return { format, document: documentLength === 0 ? undefined : body.subarray(0, documentLength), entryLists };
}
