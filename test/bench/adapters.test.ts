import { expect, test } from 'vitest';
import { type Peer, peers } from '../../scripts/bench/adapters/peers.ts';
import { call } from '../../scripts/bench/api.ts';
import { counter } from '../../scripts/bench/api-request.ts';
import { makeCorpus } from '../../scripts/bench/corpus.ts';
import type { OperationName } from '../../scripts/bench/operations.ts';
import { serveLocally } from '../support/local-server.ts';

interface Asked {
  what: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** A program that writes down what it is asked, and answers as its documentation says. */
async function recording(answer: (asked: Asked, nth: number) => unknown) {
  const asked: Asked[] = [];
  const url = await serveLocally(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { authorization } = request.headers;
    const one = { what: `${request.method} ${request.url}`, authorization, body: text ? JSON.parse(text) : {} };
    asked.push(one);
    response.end(JSON.stringify(answer(one, asked.length)));
  });
  return { url, asked };
}

function peerCalled(name: string): Peer {
  const peer = peers[name];
  if (peer === undefined) throw new Error(`There is no ${name}.`);
  return peer;
}

/** Seeds ten documents, calls each operation once, and gives what was asked for the seed and for each operation. */
async function askedOf(name: string, answer: (asked: Asked, nth: number) => unknown) {
  const { url, asked } = await recording(answer);
  const { api, operations } = await peerCalled(name).seed(url, 'token', makeCorpus(0.02));
  const seeding = asked.splice(0);
  const called = {} as Record<OperationName, Asked | undefined>;
  for (const { name: operation, requests } of operations) {
    const [first] = requests;
    if (first) await call(api, first);
    called[operation] = asked.at(-1);
  }
  expect([...seeding, ...asked].every(({ authorization }) => authorization === 'Bearer token')).toBe(true);
  return { seeding, called, names: operations.map(({ name: operation }) => operation) };
}

const searched = ['read', 'list-pages', 'search-rare', 'search-common', 'comment', 'update', 'create'];
const markdown = expect.stringMatching(/^# /);
const number = expect.stringMatching(/\d{8}/);

test('Directus is asked by REST, for items of a collection of its own', async () => {
  const { seeding, called, names } = await askedOf('directus', ({ what, body }, nth) => {
    if (Array.isArray(body)) return { data: body.map((_, id) => ({ id: id + 7 })) };
    return { data: what.includes('?') ? [{ id: 1, title: 'A' }] : { id: nth, title: 'A', markdown: '# A' } };
  });
  const collection = String(seeding[0]?.body.collection);
  const items = `/items/${collection}`;

  expect(seeding.map(({ what }) => what)).toEqual(['POST /collections', `POST ${items}`]);
  expect(seeding[1]?.body).toHaveLength(10);
  expect(names).toEqual(searched);
  expect(called.read?.what).toBe(`GET ${items}/8`);
  expect(called['list-pages']?.what).toBe(`GET ${items}?fields=id,title&sort=id&limit=50`);
  expect(called['search-rare']?.what).toMatch(/^GET .*&search=\w+$/);
  expect(called.comment).toMatchObject({
    what: 'POST /comments',
    body: { collection, item: '8', comment: number },
  });
  expect(called.update).toMatchObject({ what: `PATCH ${items}/8`, body: { markdown } });
  expect(called.create).toMatchObject({ what: `POST ${items}`, body: { title: number, markdown } });
});

test('Wiki.js is asked by GraphQL, and a failure with status 200 is one', async () => {
  const responseResult = { succeeded: true, message: 'ok' };
  const { seeding, called, names } = await askedOf('wiki-js', ({ body }, nth) => {
    const query = String(body.query);
    if (query.includes('single')) return { data: { pages: { single: { id: 1, path: 'a' } } } };
    if (query.includes('list')) return { data: { pages: { list: [{ id: 1 }] } } };
    if (query.includes('search')) return { data: { pages: { search: { results: [{ id: '1' }], totalHits: 1 } } } };
    if (query.includes('comments')) return { data: { comments: { create: { responseResult, id: 1 } } } };
    if (query.includes('update')) return { data: { pages: { update: { responseResult } } } };
    return { data: { pages: { create: { responseResult, page: { id: nth } } } } };
  });

  expect(seeding.map(({ what }) => what)).toEqual(Array(10).fill('POST /graphql'));
  expect(seeding[0]?.body.variables).toEqual({
    path: expect.stringMatching(/document-1$/),
    title: 'Document 1',
    content: markdown,
  });
  expect(names).toEqual(searched);
  expect(called.read?.body.variables).toEqual({ id: 2 });
  expect(called['search-rare']?.body.variables).toEqual({ word: expect.any(String) });
  expect(called.comment?.body.variables).toEqual({ page: 2, content: number });
  expect(called.update?.body.variables).toEqual({ id: 2, content: markdown });
  expect(called.create?.body.variables).toMatchObject({ path: number, title: number, content: markdown });
  await expect(askedOf('wiki-js', () => ({ errors: [{ message: 'Forbidden' }], data: null }))).rejects.toThrow(
    'POST http://127.0.0.1',
  );
});

test('Outline is asked by the methods of its API', async () => {
  const { seeding, called, names } = await askedOf('outline', ({ what }, nth) => {
    if (what.endsWith('search')) return { data: [{ ranking: 1, context: 'x', document: { id: 'd', title: 'A' } }] };
    return { data: what.endsWith('list') ? [{ id: 'd', title: 'A' }] : { id: `id-${nth}`, text: '# A' } };
  });

  expect(seeding.map(({ what }) => what)).toEqual([
    'POST /api/collections.create',
    ...Array(10).fill('POST /api/documents.create'),
  ]);
  expect(seeding[1]?.body).toEqual({ collectionId: 'id-1', title: 'Document 1', text: markdown, publish: true });
  expect(names).toEqual(searched);
  expect(called.read).toMatchObject({ what: 'POST /api/documents.info', body: { id: 'id-3' } });
  expect(called['list-pages']).toMatchObject({
    what: 'POST /api/documents.list',
    body: { collectionId: 'id-1', limit: 50 },
  });
  expect(called['search-rare']).toMatchObject({
    what: 'POST /api/documents.search',
    body: { query: expect.any(String) },
  });
  expect(called.comment).toMatchObject({
    what: 'POST /api/comments.create',
    body: { documentId: 'id-3', data: { type: 'doc' } },
  });
  expect(called.update).toMatchObject({ what: 'POST /api/documents.update', body: { id: 'id-3', text: markdown } });
  expect(called.create).toMatchObject({
    what: 'POST /api/documents.create',
    body: { title: number, text: markdown, publish: true },
  });
});

test('Docmost is asked by the paths of its API', async () => {
  const { seeding, called, names } = await askedOf('docmost', ({ what }, nth) => ({
    data: /search|sidebar/.test(what) ? { items: [{ id: 'p', title: 'A' }] } : { id: `id-${nth}`, content: '# A' },
  }));

  expect(seeding.map(({ what }) => what)).toEqual([
    'POST /api/spaces/create',
    ...Array(10).fill('POST /api/pages/create'),
  ]);
  expect(seeding[1]?.body).toEqual({ spaceId: 'id-1', title: 'Document 1', content: markdown, format: 'markdown' });
  expect(names).toEqual(searched);
  expect(called.read).toMatchObject({ what: 'POST /api/pages/info', body: { pageId: 'id-3', format: 'markdown' } });
  expect(called['list-pages']).toMatchObject({ what: 'POST /api/pages/sidebar-pages', body: { spaceId: 'id-1' } });
  expect(called['search-rare']).toMatchObject({ what: 'POST /api/search', body: { spaceId: 'id-1' } });
  expect(JSON.parse(String(called.comment?.body.content))).toMatchObject({ type: 'doc' });
  expect(called.update).toMatchObject({
    what: 'POST /api/pages/update',
    body: { pageId: 'id-3', content: markdown, format: 'markdown', operation: 'replace' },
  });
  expect(called.create).toMatchObject({ what: 'POST /api/pages/create', body: { title: number, content: markdown } });
});

test('what is written differs each time, also where the text is the same', async () => {
  const { url } = await recording((_, nth) => ({ data: { id: `id-${nth}` } }));
  const { operations } = await peerCalled('outline').seed(url, 'token', makeCorpus(0.02));
  const writing = operations.filter(({ name }) => ['comment', 'update', 'create'].includes(name));

  for (const { requests } of writing) for (const { body } of requests) expect(JSON.stringify(body)).toContain(counter);
});
