import type { Adapter } from '../adapter.ts';
import { type Api, callJson } from '../api.ts';
import { type ApiRequest, counter } from '../api-request.ts';
import type { Corpus } from '../corpus.ts';

interface OutlineIds {
  collection: string;
  documents: string[];
}

const ask = (method: string, body: Record<string, unknown>): ApiRequest => ({
  method: 'POST',
  path: `/api/${method}`,
  body,
});

const createDocument = (collectionId: string, title: string, text: string) =>
  ask('documents.create', { collectionId, title, text, publish: true });

async function seed(api: Api, { documents }: Corpus): Promise<OutlineIds> {
  const make = async (request: ApiRequest) => (await callJson<{ data: { id: string } }>(api, request)).data.id;
  const collection = await make(ask('collections.create', { name: 'Benchmark', permission: 'read_write' }));
  const made: string[] = [];
  for (const { title, markdown } of documents) made.push(await make(createDocument(collection, title, markdown)));
  return { collection, documents: made };
}

const idAt = ({ documents }: OutlineIds, nth: number): string => documents[nth % documents.length] ?? '';
const paragraph = (text: string) => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
});

/** Outline, by its API of named methods; start it with RATE_LIMITER_ENABLED=false. The token is an API key. */
export const outline: Adapter<OutlineIds> = {
  seed,
  read: (ids, nth) => ({ ...ask('documents.info', { id: idAt(ids, nth) }), contains: '"text"' }),
  list: ({ collection }) => ({
    ...ask('documents.list', { collectionId: collection, limit: 50 }),
    contains: '"title"',
  }),
  search: ({ collection }, word) => ({
    ...ask('documents.search', { query: word, collectionId: collection, limit: 50 }),
    contains: '"context"',
  }),
  comment: (ids, nth) =>
    ask('comments.create', { documentId: idAt(ids, nth), data: paragraph(`Comment ${counter}: is this still so?`) }),
  update: (ids, nth, text) => ask('documents.update', { id: idAt(ids, nth), text }),
  create: ({ collection }, _nth, text) => createDocument(collection, `Written ${counter}`, text),
};
