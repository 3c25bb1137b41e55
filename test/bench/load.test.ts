import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { type ApiRequest, counter } from '../../scripts/bench/api.ts';
import { runLoad } from '../../scripts/bench/load.ts';
import { serveLocally } from '../support/local-server.ts';

const SECONDS = 0.5;
const CONNECTIONS = 4;

async function runSmallLoad(listener: RequestListener, ...requests: ApiRequest[]) {
  const url = await serveLocally(listener);
  const api = { url, headers: { authorization: 'Bearer token' } };
  return runLoad({ api, requests, connections: CONNECTIONS, seconds: SECONDS });
}

const get = (path: string): ApiRequest => ({ method: 'GET', path });

test('counts the responses and their durations', async () => {
  let asked = 0;
  const done = await runSmallLoad((_, response) => {
    asked += 1;
    response.end('fine');
  }, get('/'));

  expect(done.failures).toEqual({});
  expect(done.succeeded).toBeGreaterThanOrEqual(asked - CONNECTIONS);
  expect(done.succeeded).toBeLessThanOrEqual(asked);
  expect(done.perSecond).toBeGreaterThan(0);
  expect(done.perSecond).toBeLessThanOrEqual(asked / SECONDS);
  expect(done.p50).toBeGreaterThan(0);
  expect(done.p99).toBeGreaterThanOrEqual(done.p50);
});

test('replaces the placeholder with the next number and sends the requests in order', async () => {
  const seen: string[] = [];
  const body = { text: `number ${counter}, again ${counter}` };
  const done = await runSmallLoad(
    async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      seen.push(`${request.method} ${request.url} ${text} ${request.headers.authorization}`);
      response.end();
    },
    { method: 'POST', path: `/${counter}`, body },
    get('/other'),
  );

  const posted = seen.filter((each) => each.startsWith('POST'));
  expect(new Set(posted).size).toBe(posted.length);
  for (const each of posted) expect(each).toMatch(/^POST \/(\d{8}) \{"text":"number \1, again \1"\} Bearer token$/);
  expect(seen.filter((each) => each === 'GET /other  Bearer token').length).toBeGreaterThan(seen.length / 3);
  expect(posted.length).toBeGreaterThan(seen.length / 3);
  expect(done.failures).toEqual({});
});

test('reports unexpected responses by status and body', async () => {
  let asked = 0;
  const done = await runSmallLoad(
    (_, response) => {
      asked += 1;
      response.statusCode = asked % 2 === 0 ? 500 : 200;
      response.end(asked % 2 === 0 ? 'broken' : '{"errors":[]}');
    },
    { ...get('/'), bodyStart: '{"data"' },
  );

  expect(done.succeeded).toBe(0);
  expect(Object.keys(done.failures).toSorted()).toEqual(['200 {"error', '500 broken']);
});

test('reports requests that get no response because the server closes the connection', async () => {
  const done = await runSmallLoad((request) => request.socket.destroy(), get('/'));

  expect(done.succeeded).toBe(0);
  expect(done.failures).toEqual({ 'connection closed before the response': expect.any(Number) });
});

test('reports connection errors', async () => {
  const api = { url: 'http://127.0.0.1:1', headers: {} };
  const done = await runLoad({ api, requests: [get('/')], connections: 1, seconds: 0.1 });

  expect(done.failures).toEqual({ 'connection error': expect.any(Number) });
});
