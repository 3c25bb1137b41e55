import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { type ApiRequest, counter } from '../../scripts/bench/api-request.ts';
import { load } from '../../scripts/bench/load/load.ts';
import { requestBytes } from '../../scripts/bench/load/request-bytes.ts';
import { serveLocally } from '../support/local-server.ts';

const SECONDS = 0.8;

async function loaded(listener: RequestListener, ...requests: ApiRequest[]) {
  const url = await serveLocally(listener);
  const api = { url, headers: { authorization: 'Bearer token' } };
  const { hostname: host, port } = new URL(url);
  const bytes = requests.map((request) => requestBytes(api, request));
  return load({ host, port: Number(port), requests: bytes, connections: 4, seconds: SECONDS, first: 41 });
}

const get = (path: string): ApiRequest => ({ method: 'GET', path });

test('a load counts what was answered and how long it took', async () => {
  let asked = 0;
  const done = await loaded((_, response) => {
    asked += 1;
    response.end('fine');
  }, get('/'));

  expect(done).toMatchObject({ answered: asked, failures: {}, next: 41 + asked });
  expect(done.perSecond).toBeGreaterThan(0);
  expect(done.perSecond).toBeLessThanOrEqual(asked / SECONDS);
  expect(done.p50).toBeGreaterThan(0);
  expect(done.p99).toBeGreaterThanOrEqual(done.p50);
});

test('each sending has a number of its own, and requests take turns', async () => {
  const seen: string[] = [];
  const body = { text: `number ${counter}, again ${counter}` };
  const done = await loaded(
    async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      seen.push(`${request.method} ${request.url} ${text} ${request.headers.authorization}`);
      response.end();
    },
    { method: 'POST', path: `/${counter}`, body },
    get('/other'),
  );

  expect(new Set(seen.filter((each) => each.startsWith('POST'))).size).toBe(
    seen.filter((each) => each.startsWith('POST')).length,
  );
  expect(seen).toContain('POST /00000042 {"text":"number 00000042, again 00000042"} Bearer token');
  expect(seen.filter((each) => each === 'GET /other  Bearer token').length).toBeGreaterThan(seen.length / 3);
  expect(done.answered).toBe(seen.length);
});

test('answers that are not as expected are failures, told by what they are', async () => {
  let asked = 0;
  const done = await loaded(
    (_, response) => {
      asked += 1;
      response.statusCode = asked % 2 === 0 ? 500 : 200;
      response.end(asked % 2 === 0 ? 'broken' : '{"errors":[]}');
    },
    { ...get('/'), bodyStart: '{"data"' },
  );

  expect(done.answered).toBe(0);
  expect(Object.keys(done.failures).toSorted()).toEqual(['200 {"error', '500 broken']);
});

test('a connection that the server closes behind an answer is opened again, one that breaks is a failure', async () => {
  const closing = await loaded((_, response) => response.writeHead(200, { connection: 'close' }).end('x'), get('/'));
  const breaking = await loaded((request) => request.socket.destroy(), get('/'));

  expect(closing.failures).toEqual({});
  expect(closing.answered).toBeGreaterThan(4);
  expect(breaking.answered).toBe(0);
  expect(Object.values(breaking.failures)).toEqual([4]);
});
