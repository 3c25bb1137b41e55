import type { Adapter } from '../adapter.ts';
import { type Api, callJson } from '../api.ts';
import { type ApiRequest, counter } from '../api-request.ts';
import type { Corpus } from '../corpus.ts';

interface DocmostIds {
  space: string;
  documents: string[];
}

const ask = (path: string, body: Record<string, unknown>): ApiRequest => ({
  method: 'POST',
  path: `/api/${path}`,
  body,
});

const createPage = (spaceId: string, title: string, content: string) =>
  ask('pages/create', { spaceId, title, content, format: 'markdown' });

async function seed(api: Api, { documents }: Corpus): Promise<DocmostIds> {
  const make = async (request: ApiRequest) => (await callJson<{ data: { id: string } }>(api, request)).data.id;
  const space = await make(ask('spaces/create', { name: 'Benchmark', slug: `benchmark${Date.now()}` }));
  const made: string[] = [];
  for (const { title, markdown } of documents) made.push(await make(createPage(space, title, markdown)));
  return { space, documents: made };
}

const idAt = ({ documents }: DocmostIds, nth: number): string => documents[nth % documents.length] ?? '';
const paragraph = (text: string) => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
});

/** Docmost from the release on that takes markdown by its API; the token is an API key, or what signing in gives. */
export const docmost: Adapter<DocmostIds> = {
  seed,
  read: (ids, nth) => ({ ...ask('pages/info', { pageId: idAt(ids, nth), format: 'markdown' }), contains: '"content"' }),
  list: ({ space }) => ({ ...ask('pages/sidebar-pages', { spaceId: space, limit: 50 }), contains: '"title"' }),
  search: ({ space }, word) => ({ ...ask('search', { query: word, spaceId: space, limit: 50 }), contains: '"title"' }),
  comment: (ids, nth) =>
    // Its content is JSON in a string.
    ask('comments/create', {
      pageId: idAt(ids, nth),
      content: JSON.stringify(paragraph(`Comment ${counter}: is this still so?`)),
    }),
  update: (ids, nth, content) =>
    ask('pages/update', { pageId: idAt(ids, nth), content, format: 'markdown', operation: 'replace' }),
  create: ({ space }, _nth, content) => createPage(space, `Written ${counter}`, content),
};
