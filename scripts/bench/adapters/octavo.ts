import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@octavo/platform';
import { type Api, type ApiRequest, call, callJson, counter } from '../api.ts';
import { type Corpus, commonWord, createNewText, type Document, rareWord } from '../corpus.ts';
import type { Adapter } from '../operations.ts';

const SPACES = 50;
const BATCH_PAGES = 50;
const PUBLISHED_PAGES = 450;
const INDEX_PATIENCE_MS = 600_000;

interface OctavoIds {
  organization: string;
  space: string;
  /** Page IDs in the order of the corpus. */
  pages: string[];
  /** Another space. New pages are created below its pages. */
  writeSpace: string;
  parents: string[];
  /** The path of a published page. */
  published: string;
  site: PublishedSite;
}

/** A site with pages of 4 KB. */
interface PublishedSite {
  space: string;
  /** The id of its first page. */
  page: string;
  /** The paths of its pages. */
  paths: string[];
}

const getPagePath = (space: string, page: string) => `/v1/spaces/${space}/content/page/${page}`;
const post = (path: string, body: unknown): ApiRequest => ({ method: 'POST', path, body });
const change = (space: string, ...changes: unknown[]) => post(`/v1/spaces/${space}/content`, { changes });
const getSearch = (organization: string, word: string): ApiRequest => ({
  method: 'GET',
  path: `/v1/orgs/${organization}/search?query=${word}`,
  contains: '"sections":[{',
});

async function makeSpace(api: Api, organization: string, title: string): Promise<string> {
  const space = await callJson<{ id: string }>(api, {
    ...post(`/v1/orgs/${organization}/spaces`, { title }),
    status: 201,
  });
  return space.id;
}

async function insertPages(api: Api, space: string, pages: (Document & { parent?: string })[]): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < pages.length; first += BATCH_PAGES) {
    const changes = pages.slice(first, first + BATCH_PAGES).map(({ markdown, parent }) => ({
      operation: 'insert_page',
      document: { markdown },
      ...(parent ? { into: parent } : {}),
    }));
    const response = await callJson<{ changes: { page: { id: string } }[] }>(api, change(space, ...changes));
    ids.push(...response.changes.map(({ page }) => page.id));
  }
  return ids;
}

async function insertTree(api: Api, space: string, { documents, parents }: Corpus): Promise<string[]> {
  const parentIds = await insertPages(api, space, documents.slice(0, parents));
  const children = documents
    .slice(parents)
    .map((document, index) => ({ ...document, parent: parentIds[index % parents] ?? '' }));
  return [...parentIds, ...(await insertPages(api, space, children))];
}

/** Waits until search finds the last page, which is indexed last. Queues update the index after the content. */
async function waitUntilFound(api: Api, organization: string): Promise<void> {
  const { path, contains = '' } = getSearch(organization, rareWord);
  const deadline = performance.now() + INDEX_PATIENCE_MS;
  while (!(await call(api, { method: 'GET', path })).text.includes(contains)) {
    if (performance.now() > deadline)
      throw new PlatformError('The search index did not catch up with the seeded content.');
    await delay(100);
  }
}

async function publish(api: Api, organization: string, space: string): Promise<string> {
  const sites = `/v1/orgs/${organization}/sites`;
  const body = { title: 'Published', spaces: [space], visibility: 'public' };
  const { id } = await callJson<{ id: string }>(api, { ...post(sites, body), status: 201 });
  const site = await callJson<{ urls: { published: string } }>(api, post(`${sites}/${id}/publish`, undefined));
  return new URL(site.urls.published).pathname;
}

interface TreePage {
  path: string;
  pages: TreePage[];
}

const listPaths = (pages: TreePage[]): string[] => pages.flatMap(({ path, pages }) => [path, ...listPaths(pages)]);

const getPublishedTitle = (index: number): string => `Published ${index + 1}`;

/** Publishes pages that do not contain the words of the measured searches. */
async function publishPages(api: Api, organization: string, { documents, parents }: Corpus): Promise<PublishedSite> {
  const space = await makeSpace(api, organization, 'Published');
  const count = Math.min(PUBLISHED_PAGES, documents.length);
  const texts = Array.from({ length: count }, (_, index) => {
    const title = getPublishedTitle(index);
    return { title, markdown: createNewText(title, index) };
  });
  const [page = ''] = await insertTree(api, space, { documents: texts, parents });
  const tree = await callJson<{ pages: TreePage[] }>(api, { method: 'GET', path: `/v1/spaces/${space}/content/pages` });
  const base = await publish(api, organization, space);
  return { space, page, paths: listPaths(tree.pages).map((path) => `${base}${path}`) };
}

async function seed(api: Api, corpus: Corpus): Promise<OctavoIds> {
  const { items } = await callJson<{ items: { id: string }[] }>(api, { method: 'GET', path: '/v1/orgs' });
  const organization = items[0]?.id ?? '';
  const space = await makeSpace(api, organization, 'Measured');
  const writeSpace = await makeSpace(api, organization, 'Written');
  const site = await publishPages(api, organization, corpus);
  for (let number = 4; number <= SPACES; number += 1) await makeSpace(api, organization, `Space ${number}`);
  const pages = await insertTree(api, space, corpus);
  const parentPages = Array.from({ length: BATCH_PAGES }, (_, index) => ({
    title: '',
    markdown: `# Part ${index + 1}\n`,
  }));
  const parents = await insertPages(api, writeSpace, parentPages);
  await waitUntilFound(api, organization);
  const published = await publish(api, organization, writeSpace);
  return { organization, space, pages, writeSpace, parents, published, site };
}

export const octavo: Adapter<OctavoIds> = {
  seed,
  constant: () => ({ method: 'GET', path: '/v1/' }),
  read: ({ space, pages }, index) => ({
    method: 'GET',
    path: `${getPagePath(space, pages[index % pages.length] ?? '')}?format=markdown`,
    contains: commonWord,
  }),
  page: ({ published }) => ({ method: 'GET', path: published, bodyStart: '<!doctype html>', contains: 'Part 1' }),
  pages: ({ site }) =>
    site.paths.map((path) => ({ method: 'GET', path, bodyStart: '<!doctype html>', contains: 'Published 1' })),
  editPublished: ({ site }, edit) => {
    const document = { markdown: edit(createNewText(getPublishedTitle(0), 0)) };
    return change(site.space, { operation: 'update_page', page: site.page, document });
  },
  list: ({ space }) => ({ method: 'GET', path: `/v1/spaces/${space}/content/pages?depth=0`, contains: '"Document 1"' }),
  listSpaces: ({ organization }) => ({
    method: 'GET',
    path: `/v1/orgs/${organization}/spaces?limit=${SPACES}`,
    contains: `"count":${SPACES}`,
  }),
  search: ({ organization }, word) => getSearch(organization, word),
  comment: ({ space, pages }, index) =>
    post(`/v1/spaces/${space}/comments`, {
      page: pages[index % pages.length],
      body: { markdown: `Comment ${counter}: is this still so?` },
    }),
  update: ({ space, pages }, index, markdown) =>
    change(space, { operation: 'update_page', page: pages[index % pages.length], document: { markdown } }),
  create: ({ writeSpace, parents }, index, markdown) =>
    change(writeSpace, { operation: 'insert_page', into: parents[index % parents.length], document: { markdown } }),
};
