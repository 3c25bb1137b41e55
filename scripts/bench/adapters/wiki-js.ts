import type { Adapter } from '../adapter.ts';
import { type Api, callJson } from '../api.ts';
import { type ApiRequest, counter } from '../api-request.ts';
import type { Corpus } from '../corpus.ts';

interface WikiJsIds {
  /** What the paths begin with. */
  folder: string;
  documents: number[];
}

const ask = (query: string, variables: Record<string, unknown> = {}): ApiRequest => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
});

// A failure has status 200 as well; what was asked for first is answered first.
const mutate = (place: [string, string], query: string, variables: Record<string, unknown>): ApiRequest => ({
  ...ask(query, variables),
  bodyStart: `{"data":{"${place[0]}":{"${place[1]}":{"responseResult":{"succeeded":true`,
});

const createPage = (path: string, title: string, content: string) =>
  mutate(
    ['pages', 'create'],
    'mutation ($path: String!, $title: String!, $content: String!) { pages { create(path: $path, title: $title, content: $content, description: "", editor: "markdown", isPublished: true, isPrivate: false, locale: "en", tags: []) { responseResult { succeeded message } page { id } } } }',
    { path, title, content },
  );

async function seed(api: Api, { documents }: Corpus): Promise<WikiJsIds> {
  const folder = `benchmark-${Date.now()}`;
  const made: number[] = [];
  for (const [nth, { title, markdown }] of documents.entries()) {
    const answer = await callJson<{ data: { pages: { create: { page: { id: number } } } } }>(
      api,
      createPage(`${folder}/document-${nth + 1}`, title, markdown),
    );
    made.push(answer.data.pages.create.page.id);
  }
  return { folder, documents: made };
}

const idAt = ({ documents }: WikiJsIds, nth: number): number => documents[nth % documents.length] ?? 0;

/** Wiki.js 2.5, by GraphQL; the token is an API key with full access. */
export const wikiJs: Adapter<WikiJsIds> = {
  seed,
  read: (ids, nth) => ({
    ...ask('query ($id: Int!) { pages { single(id: $id) { id path title content } } }', { id: idAt(ids, nth) }),
    bodyStart: '{"data":{"pages":{"single":{"id"',
  }),
  list: () => ({
    ...ask('{ pages { list(limit: 50, orderBy: ID) { id path title } } }'),
    bodyStart: '{"data":{"pages":{"list":[{',
  }),
  search: (_, word) => ({
    ...ask('query ($word: String!) { pages { search(query: $word) { results { id title path } totalHits } } }', {
      word,
    }),
    bodyStart: '{"data":{"pages":{"search":{"results":[{',
  }),
  comment: (ids, nth) =>
    mutate(
      ['comments', 'create'],
      'mutation ($page: Int!, $content: String!) { comments { create(pageId: $page, content: $content) { responseResult { succeeded message } id } } }',
      { page: idAt(ids, nth), content: `Comment ${counter}: is this still so?` },
    ),
  update: (ids, nth, content) =>
    mutate(
      ['pages', 'update'],
      'mutation ($id: Int!, $content: String!) { pages { update(id: $id, content: $content, isPublished: true) { responseResult { succeeded message } } } }',
      { id: idAt(ids, nth), content },
    ),
  create: ({ folder }, _nth, content) => createPage(`${folder}/written-${counter}`, `Written ${counter}`, content),
};
