import { expect } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { platform } from '../../support/platform.ts';
import type { Change, TreePage } from '../space-client.ts';
import { getClient } from '../space-client.ts';

/** The fields of a page that these tests read. */
export interface ReferencePage extends TreePage {
  computed?: { type: string; props: Record<string, unknown>; dependencies: { spec: { ref: object; value?: object } } };
  computedSeed?: string;
  document?: { nodes: { type: string; data: Record<string, unknown>; meta?: { id: string } }[] };
  urls?: { app: string };
  updatedAt?: string;
  pages?: ReferencePage[];
}

export const insertComputed = (spec: string, more: Record<string, unknown> = {}): Change => ({
  operation: 'insert_computed',
  title: 'Reference',
  computed: {
    type: 'builtin:openapi',
    props: { models: true },
    dependencies: { spec: { ref: { kind: 'openapi', spec } } },
  },
  ...more,
});

/** Makes a space and a client for the specifications of its organization. */
export async function makeReferenceSpace() {
  const newSpace = await platform().makeSpace();
  const specs = getSpecs(platform(), { id: newSpace.organization, token: newSpace.token });
  const space = getClient(platform(), newSpace);

  return {
    ...newSpace,
    specs,
    space,
    publish: async (slug: string, document: object) => {
      const spec = await specs.publish(slug, getText(document));
      expect([spec.lastProcessErrorCode, spec.lastProcessErrorMessage]).toEqual([undefined, undefined]);
      return spec;
    },
    tree: async (query = '') => (await space.callJson<{ pages: ReferencePage[] }>(`/content/pages${query}`)).pages,
    read: (id: string, query = '') => space.callJson<ReferencePage>(`/content/page/${id}${query}`),
    at: (path: string, query = '') => space.callJson<ReferencePage>(`/content/path/${path}${query}`),
    elsewhere: (space: string, path: string) =>
      platform().request(`/v1/spaces/${space}${path}`, { token: newSpace.token }),
    get: (path: string, headers: Record<string, string> = {}) =>
      platform().request(`/v1/spaces/${newSpace.id}${path}`, { token: newSpace.token, headers }),
  };
}

export type ReferenceSpace = Awaited<ReturnType<typeof makeReferenceSpace>>;

/** Returns all pages of a tree, parents first. */
export const listAllPages = (pages: ReferencePage[]): ReferencePage[] =>
  pages.flatMap((page) => [page, ...listAllPages(page.pages ?? [])]);

export const createOperation = (tags: string[], summary: string, more: object = {}) => ({
  ...(tags.length === 0 ? {} : { tags }),
  summary,
  responses: { 200: { description: 'ok' } },
  ...more,
});

/** Returns a specification with nested tags, an untagged operation, a webhook and two models. */
export const createLibrary = (more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Library', version: '1.0.0' },
  tags: [
    { name: 'Books', description: 'What is **lent**.' },
    { name: 'Loans', description: 'Who has what', parent: 'Books' },
  ],
  paths: {
    '/books': {
      get: createOperation(['Books'], 'List books', { operationId: 'listBooks', description: 'All of them.' }),
      post: createOperation(['Books'], 'Add a book', { operationId: 'addBook' }),
    },
    '/loans': { get: createOperation(['Loans'], 'List loans', { operationId: 'listLoans' }) },
    '/health': { get: createOperation([], 'Health', { operationId: 'health' }) },
  },
  webhooks: { returned: { post: createOperation([], 'A book came back') } },
  components: { schemas: { Book: { type: 'object' }, Loan: { type: 'object' } } },
  ...more,
});
