import { expect, test } from 'vitest';
import { type Peer, peers } from '../../scripts/bench/adapters/peers.ts';
import { call, counter } from '../../scripts/bench/api.ts';
import { createCorpus } from '../../scripts/bench/corpus.ts';
import type { OperationName } from '../../scripts/bench/operations.ts';
import { serveLocally } from '../support/local-server.ts';

interface ReceivedRequest {
  what: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** A server that records its requests and returns the documented responses of a program. */
async function startRecordingServer(respond: (asked: ReceivedRequest, nth: number) => unknown) {
  const asked: ReceivedRequest[] = [];
  const url = await serveLocally(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { authorization } = request.headers;
    const one = { what: `${request.method} ${request.url}`, authorization, body: text ? JSON.parse(text) : {} };
    asked.push(one);
    response.end(JSON.stringify(respond(one, asked.length)));
  });
  return { url, asked };
}

function findPeer(name: string): Peer {
  const peer = peers[name];
  if (peer === undefined) throw new Error(`There is no ${name}.`);
  return peer;
}

/** Seeds ten documents and calls each operation once. Returns the requests of the seed and of each operation. */
async function recordRequests(name: string, respond: (asked: ReceivedRequest, nth: number) => unknown) {
  const { url, asked } = await startRecordingServer(respond);
  const { api, operations } = await findPeer(name).seed(url, 'token', createCorpus(0.02));
  const seeding = asked.splice(0);
  const called = {} as Record<OperationName, ReceivedRequest | undefined>;
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

test('uses the REST API of Directus with a separate collection', async () => {
  const { seeding, called, names } = await recordRequests('directus', ({ what, body }, nth) => {
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

test('write requests contain the placeholder for the counter', async () => {
  const { url } = await startRecordingServer(({ body }) => ({
    data: Array.isArray(body) ? body.map((_, id) => ({ id })) : {},
  }));
  const { operations } = await findPeer('directus').seed(url, 'token', createCorpus(0.02));
  const writing = operations.filter(({ name }) => ['comment', 'update', 'create'].includes(name));

  for (const { requests } of writing) for (const { body } of requests) expect(JSON.stringify(body)).toContain(counter);
});
