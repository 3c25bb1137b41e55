import { type Api, type ApiRequest, counter } from './api.ts';
import { type Corpus, commonWord, createNewText, rareWord } from './corpus.ts';

/** The number of prepared requests of an operation, which are sent in turn. */
const REQUESTS = 500;

export interface Target {
  /** The minimum throughput, as a share of the throughput of a bare worker in the same run. */
  share: number;
  /** The maximum CPU seconds of all processes for 1,000 requests. */
  cpu?: number;
}

/** The measured operations in the order of the table, with their targets. */
export const operations = {
  constant: { title: 'constant response', target: { share: 0.35 } },
  page: { title: 'read a published page', target: { share: 0.5 } },
  pages: { title: 'published pages in turn', target: { share: 0.5 } },
  'pages-edited': { title: 'published pages, edited', target: { share: 0.18 } },
  read: { title: 'read a page, markdown', target: { share: 0.1, cpu: 0.4 } },
  'list-pages': { title: 'list 50 pages of the tree', target: { share: 0.08 } },
  'list-spaces': { title: 'list 50 spaces', target: { share: 0.08 } },
  'search-rare': { title: 'search, rare word', target: { share: 0.06 } },
  'search-common': { title: 'search, word in all', target: { share: 0.04 } },
  comment: { title: 'comment', target: { share: 0.05 } },
  update: { title: 'update, 4 KB', target: { share: 0.02, cpu: 2 } },
  create: { title: 'create, 4 KB', target: { share: 0.02 } },
} satisfies Record<string, { title: string; target: Target }>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/**
 * An adapter that seeds a server with the corpus and creates the requests to measure. `index` is the index of a
 * document of the corpus; `Ids` are the ids of the seeded content that the requests need.
 */
export interface Adapter<Ids> {
  seed(api: Api, corpus: Corpus): Promise<Ids>;
  /** Reads a page with its text. */
  read(ids: Ids, index: number): ApiRequest;
  /** Lists fifty pages without their texts. */
  list(ids: Ids): ApiRequest;
  search(ids: Ids, word: string): ApiRequest;
  comment(ids: Ids, index: number): ApiRequest;
  update(ids: Ids, index: number, markdown: string): ApiRequest;
  create(ids: Ids, index: number, markdown: string): ApiRequest;
  /** A request that needs no data. */
  constant?(): ApiRequest;
  listSpaces?(ids: Ids): ApiRequest;
  /** Reads a published page. */
  page?(ids: Ids): ApiRequest;
  /** Reads each page of a published site. */
  pages?(ids: Ids): ApiRequest[];
  /** Edits the text of one of these pages, and keeps its title. */
  editPublished?(ids: Ids, edit: (markdown: string) => string): ApiRequest;
}

export interface Operation {
  name: OperationName;
  requests: ApiRequest[];
}

/** Creates a text that differs in one position each time it is sent. */
const editText = (markdown: string): string => markdown.replace('\n\n', `\n\nEdit ${counter}. `);

/** Prepares the requests of one server. */
export function createOperations<Ids>(adapter: Adapter<Ids>, ids: Ids, corpus: Corpus): Operation[] {
  const { constant, listSpaces, page, pages, editPublished } = adapter;
  const { documents, parents } = corpus;
  // Documents with children are left out, because their responses include the children.
  const first = documents.length > parents ? parents : 0;
  const count = Math.min(REQUESTS, documents.length - first);
  const createEach = (create: (index: number) => ApiRequest) =>
    Array.from({ length: count }, (_, index) => create(first + index));
  const requestsByName: Record<OperationName, ApiRequest[]> = {
    constant: constant ? [constant()] : [],
    page: page ? [page(ids)] : [],
    pages: pages?.(ids) ?? [],
    'pages-edited': pages && editPublished ? [editPublished(ids, editText), ...pages(ids)] : [],
    read: createEach((index) => adapter.read(ids, index)),
    'list-pages': [adapter.list(ids)],
    'list-spaces': listSpaces ? [listSpaces(ids)] : [],
    'search-rare': [adapter.search(ids, rareWord)],
    'search-common': [adapter.search(ids, commonWord)],
    comment: createEach((index) => adapter.comment(ids, index)),
    update: createEach((index) => adapter.update(ids, index, editText(documents[index]?.markdown ?? ''))),
    create: createEach((index) => adapter.create(ids, index, createNewText(`Written ${counter}`, index))),
  };
  return operationNames
    .filter((name) => requestsByName[name].length > 0)
    .map((name) => ({ name, requests: requestsByName[name] }));
}
