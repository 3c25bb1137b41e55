import type { Adapter } from '../adapter.ts';
import { type Api, call, callJson } from '../api.ts';
import { counter } from '../api-request.ts';
import type { Corpus } from '../corpus.ts';

const COLLECTION = 'benchmark_documents';
const BATCH_ITEMS = 100;
const items = `/items/${COLLECTION}`;

interface DirectusIds {
  documents: number[];
}

const makeCollection = (api: Api) =>
  call(api, {
    method: 'POST',
    path: '/collections',
    body: {
      collection: COLLECTION,
      meta: { accountability: 'all' },
      schema: {},
      fields: [
        {
          field: 'id',
          type: 'integer',
          meta: { hidden: true },
          schema: { is_primary_key: true, has_auto_increment: true },
        },
        { field: 'title', type: 'string', meta: {}, schema: {} },
        { field: 'markdown', type: 'text', meta: {}, schema: {} },
      ],
    },
  });

async function seed(api: Api, { documents }: Corpus): Promise<DirectusIds> {
  await makeCollection(api);
  const made: number[] = [];
  for (let first = 0; first < documents.length; first += BATCH_ITEMS) {
    const body = documents.slice(first, first + BATCH_ITEMS);
    const { data } = await callJson<{ data: { id: number }[] }>(api, { method: 'POST', path: items, body });
    made.push(...data.map(({ id }) => id));
  }
  return { documents: made };
}

const idAt = ({ documents }: DirectusIds, nth: number): number => documents[nth % documents.length] ?? 0;

/** Directus 11 and 12, by REST; the token is a static one of an administrator. */
export const directus: Adapter<DirectusIds> = {
  seed,
  read: (ids, nth) => ({ method: 'GET', path: `${items}/${idAt(ids, nth)}`, contains: '"markdown"' }),
  list: () => ({ method: 'GET', path: `${items}?fields=id,title&sort=id&limit=50`, contains: '"title"' }),
  search: (_, word) => ({
    method: 'GET',
    path: `${items}?fields=id,title&limit=50&search=${word}`,
    contains: '"title"',
  }),
  comment: (ids, nth) => ({
    method: 'POST',
    path: '/comments',
    body: { collection: COLLECTION, item: String(idAt(ids, nth)), comment: `Comment ${counter}: is this still so?` },
  }),
  update: (ids, nth, markdown) => ({ method: 'PATCH', path: `${items}/${idAt(ids, nth)}`, body: { markdown } }),
  create: (_, _nth, markdown) => ({ method: 'POST', path: items, body: { title: `Written ${counter}`, markdown } }),
};
