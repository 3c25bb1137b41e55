import { type Api, call, callJson, counter } from '../api.ts';
import type { Corpus } from '../corpus.ts';
import type { Adapter } from '../operations.ts';

const BATCH_ITEMS = 100;

interface DirectusIds {
  collection: string;
  documents: number[];
}

const getItems = (collection: string) => `/items/${collection}`;

const makeCollection = (api: Api, collection: string) =>
  call(api, {
    method: 'POST',
    path: '/collections',
    body: {
      collection,
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
  const collection = `benchmark_${Date.now()}`;
  await makeCollection(api, collection);
  const documentIds: number[] = [];
  for (let first = 0; first < documents.length; first += BATCH_ITEMS) {
    const body = documents.slice(first, first + BATCH_ITEMS);
    const { data } = await callJson<{ data: { id: number }[] }>(api, {
      method: 'POST',
      path: getItems(collection),
      body,
    });
    documentIds.push(...data.map(({ id }) => id));
  }
  return { collection, documents: documentIds };
}

const getId = ({ documents }: DirectusIds, index: number): number => documents[index % documents.length] ?? 0;
const getItemPath = (ids: DirectusIds, index: number): string => `${getItems(ids.collection)}/${getId(ids, index)}`;

/** Directus 11 and 12, by REST. The token is a static token of an administrator. */
export const directus: Adapter<DirectusIds> = {
  seed,
  read: (ids, index) => ({ method: 'GET', path: getItemPath(ids, index), contains: '"markdown"' }),
  list: ({ collection }) => ({
    method: 'GET',
    path: `${getItems(collection)}?fields=id,title&sort=id&limit=50`,
    contains: '"title"',
  }),
  search: ({ collection }, word) => ({
    method: 'GET',
    path: `${getItems(collection)}?fields=id,title&limit=50&search=${word}`,
    contains: '"title"',
  }),
  comment: (ids, index) => ({
    method: 'POST',
    path: '/comments',
    body: {
      collection: ids.collection,
      item: String(getId(ids, index)),
      comment: `Comment ${counter}: is this still so?`,
    },
  }),
  update: (ids, index, markdown) => ({ method: 'PATCH', path: getItemPath(ids, index), body: { markdown } }),
  create: ({ collection }, _nth, markdown) => ({
    method: 'POST',
    path: getItems(collection),
    body: { title: `Written ${counter}`, markdown },
  }),
};
