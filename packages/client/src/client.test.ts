import type { IncomingMessage, ServerResponse } from 'node:http';
import { contract, list, PageQuery } from '@octavo/schema';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { serveLocally } from '../../../test/support/local-server.ts';
import { createContractClient, paginate } from './client.ts';

const endpoints = contract({
  getThing: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/things/:thingPath+',
    summary: 'Get a thing',
    access: 'public',
    scope: 'any',
    params: z.object({ spaceId: z.string(), thingPath: z.string() }),
    query: z.object({ tag: z.array(z.string()).optional(), limit: z.string().optional() }),
    response: z.object({ id: z.string() }),
    success: 200,
  },
  listThings: {
    method: 'GET',
    path: '/v1/things',
    summary: 'List things',
    access: 'public',
    scope: 'any',
    query: PageQuery,
    response: list(z.object({ id: z.string() })),
    success: 200,
  },
  makeThing: {
    method: 'POST',
    path: '/v1/things',
    summary: 'Make a thing',
    access: 'public',
    scope: 'any',
    body: z.object({ title: z.string() }),
    response: z.object({ id: z.string() }),
    success: 201,
  },
});

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

const send =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const drop: Handler = (response) => void response.destroy();
const closeEarly: Handler = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"id":', () => response.destroy());
};
const thing = send(200, { id: 'thing' });

/** Starts a server that handles requests with these handlers in order, and returns a client for it. */
async function serve(...handlers: Handler[]) {
  const seen: Seen[] = [];
  const url = await serveLocally(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    (handlers[seen.length - 1] ?? send(500, 'There is no answer left.'))(response, request);
  });
  return {
    seen,
    client: createContractClient(endpoints, { url: `${url}/`, token: 'secret', attempts: 3, maxWaitMs: 500 }),
  };
}

const params = { spaceId: 'spc', thingPath: 'thing' };

test('encodes parameters, keeps slashes of a path, and repeats array values', async () => {
  const { client, seen } = await serve(thing);
  const response = await client.getThing({
    params: { spaceId: 'a/b?c#d%é', thingPath: 'x y/z?/..a' },
    query: { tag: ['one', 'two & three'], limit: undefined },
  });
  expect(response).toEqual({ id: 'thing' });
  expect(seen[0]?.url).toBe('/v1/spaces/a%2Fb%3Fc%23d%25%C3%A9/things/x%20y/z%3F/..a?tag=one&tag=two+%26+three');
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', accept: 'application/json' });
  expect(seen[0]?.headers).not.toHaveProperty('content-type');
});

test.each(['', '.', '..', 'a/../b'])('rejects the path parameter %j before sending anything', async (thingPath) => {
  const { client, seen } = await serve(thing);
  await expect(client.getThing({ params: { spaceId: 'spc', thingPath } })).rejects.toThrow(TypeError);
  expect(seen).toEqual([]);
});

test('sends a body as JSON', async () => {
  const { client, seen } = await serve(send(201, { id: 'new' }));
  expect(await client.makeThing({ body: { title: 'Été' } })).toEqual({ id: 'new' });
  expect(seen[0]).toMatchObject({ method: 'POST', body: '{"title":"Été"}' });
  expect(seen[0]?.headers['content-type']).toBe('application/json');
});

test('sends the bookmark of the last response with the next request', async () => {
  const marked = send(201, { id: 'x' }, { 'octavo-bookmark': 'after-write' });
  const { client, seen } = await serve(marked, thing, thing);
  await client.makeThing({ body: { title: 'x' } });
  await client.getThing({ params });
  await client.getThing({ params });
  expect(seen.map(({ headers }) => headers['octavo-bookmark'])).toEqual([undefined, 'after-write', 'after-write']);
});

test('an error has type, message, issues and request ID', async () => {
  const issues = [{ path: 'body.title', message: 'must not be empty' }];
  const error = { code: 400, type: 'invalid', message: 'No title.', requestId: 'req_1', issues };
  const { client } = await serve(send(400, { error }));
  const thrown = client.makeThing({ body: { title: '' } });
  await expect(thrown).rejects.toMatchObject({
    name: 'ApiError',
    type: 'invalid',
    message: 'No title.',
    issues,
    requestId: 'req_1',
  });
});

test.each([
  [404, '<html>', 'not_found'],
  [418, 'null', 'invalid'],
  [508, '', 'internal'],
  [507, '', 'storage_full'],
  [409, '{"error":"text"}', 'conflict'],
])('reports the status %i of an error response in an unknown format', async (status, body, type) => {
  const { client } = await serve(send(status, body, { 'x-request-id': 'req_2' }));
  const message = `The server returned the status ${status}.`;
  await expect(client.getThing({ params })).rejects.toMatchObject({ type, message, requestId: 'req_2' });
});

test('reports a response that is not JSON with its URL', async () => {
  const { client } = await serve(send(200, '<!doctype html>'));
  await expect(client.listThings()).rejects.toThrow(
    /^The response of http:\S+\/v1\/things is not JSON\. Check that the URL is that of an Octavo server\.$/,
  );
});

test('retries any request after 429 with Retry-After', async () => {
  const limited = send(429, {}, { 'retry-after': '0' });
  const { client, seen } = await serve(limited, send(201, { id: 'x' }), limited, thing);
  expect(await client.makeThing({ body: { title: 'x' } })).toEqual({ id: 'x' });
  expect(await client.getThing({ params })).toEqual({ id: 'thing' });
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET']);
  expect(seen[1]?.body).toBe(seen[0]?.body);
});

test.each([{ 'retry-after': '60' }, {}])(
  'reports 429 with %j, which is not a short delay, without a retry',
  async (headers) => {
    const { client, seen } = await serve(send(429, {}, headers));
    await expect(client.getThing({ params })).rejects.toMatchObject({ type: 'rate_limited' });
    expect(seen).toHaveLength(1);
  },
);

test.each([
  ['502', send(502, '')],
  ['503', send(503, '')],
  ['a dropped connection', drop],
  ['a response that is cut off', closeEarly],
])('retries a read after %s, but not a write', async (_, fails) => {
  const { client, seen } = await serve(fails, thing, fails);
  expect(await client.getThing({ params })).toEqual({ id: 'thing' });
  await expect(client.makeThing({ body: { title: 'x' } })).rejects.toThrow();
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
});

test('reports the error of a read after its last attempt fails', async () => {
  const { client, seen } = await serve(...Array.from({ length: 5 }, () => send(503, '')));
  await expect(client.getThing({ params })).rejects.toMatchObject({ type: 'unavailable' });
  expect(seen).toHaveLength(3);
});

test('iterates over the pages of a list in order', async () => {
  const { client, seen } = await serve(
    send(200, { items: [{ id: 'a' }, { id: 'b' }], next: { page: 'c&d' } }),
    send(200, { items: [{ id: 'c' }] }),
  );
  const ids: string[] = [];
  for await (const { id } of paginate((page) => client.listThings({ query: { page } }))) ids.push(id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(seen.map(({ url }) => url)).toEqual(['/v1/things', '/v1/things?page=c%26d']);
});
