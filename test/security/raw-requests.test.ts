import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';

/** Sends a raw HTTP request over a socket, because an HTTP client would normalize or reject malformed requests. */
function send(raw: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(platform().url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN);
      if (body.length < length || Number.isNaN(length)) return;
      socket.destroy();
      resolve({ status: Number(head.slice(9, 12)), body });
    });
    socket.on('error', reject).on('end', () => reject(new Error(`The connection ended after ${text}`)));
    socket.write(raw, 'latin1');
  });
}

const getError = (body: string) => (JSON.parse(body) as { error: Record<string, unknown> }).error;

const hosts = [
  'a b',
  '[',
  '[::1',
  'a/b',
  '127.0.0.1/v1/user?',
  '127.0.0.1/health#',
  'a?b',
  'a#',
  'a\\health\\',
  'name:password@host',
  'a%2fb',
  'a, b',
  'a:x',
  'a:65536',
  '127.0.0.256',
  'a\r\nHost: b',
  'a\r\nHost: a',
];

test.each(hosts)('rejects the invalid host %j', async (host) => {
  for (const method of ['GET', 'OPTIONS', 'DELETE']) {
    const { status, body } = await send(`${method} /v1/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

    expect([method, status]).toEqual([method, 400]);
    expect(getError(body)).toEqual({
      code: 400,
      message: '`headers.host` must be one hostname, optionally with a port.',
      type: 'invalid',
      requestId: expect.stringMatching(/^req_/),
      issues: [{ path: 'headers.host', message: 'must be one hostname, optionally with a port' }],
    });
  }
});

test.each([
  ['/v1/%2e%2e', 302],
  ['/v1/user/../nothing', 404],
  ['/v1/user/%2E./', 200],
])('resolves the dot segments of %s before routing', async (path, status) => {
  expect((await send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).status).toBe(status);
});

test.each(['a', 'Docs.Example.:80', '127.0.0.1', '[::1]:8787', 'under_score', 'xn--bcher-kva.example'])(
  'accepts the host %s',
  async (host) => {
    expect((await send(`GET /v1/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(200);
  },
);

test.each(['PROPFIND', 'PURGE', 'QUERY', 'SEARCH', 'TRACE'])('returns 501 for the method %s', async (method) => {
  for (const path of ['/v1/', '/v1/nothing', '/health']) {
    const { status, body } = await send(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);

    expect([path, status]).toEqual([path, 501]);
    expect(getError(body)).toEqual({
      code: 501,
      message: 'This HTTP method is not supported.',
      type: 'unknown_method',
      requestId: expect.stringMatching(/^req_/),
    });
  }
});

const chunks = [
  'zz\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}\r\nzz\r\n',
  '-1\r\n{}\r\n',
  'fffffffffffffffff\r\n',
  '2\r\n{}XX0\r\n\r\n',
];

test.each(chunks)('returns 400 for the chunks %j, and writes nothing', async (body) => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();
  const paths = ['/v1/orgs', `/v1/orgs/${id}/spaces`, '/v1/user/tokens'];
  const head = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
  for (const path of paths) {
    const response = await send(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`);

    expect([path, response.status]).toEqual([path, 400]);
    expect(getError(response.body)).toMatchObject({
      code: 400,
      type: 'invalid',
      requestId: expect.stringMatching(/^req_/),
    });
  }
  const { items } = (await (await request(`/v1/orgs/${id}/spaces`, { token })).json()) as { items: unknown[] };
  expect(items).toEqual([]);
});

/**
 * Requests to which the runtime responds before any worker runs. The status is as expected, but the body is that of the
 * runtime.
 */
const runtimeAnswers: [string, number][] = [
  ['GET /v1/ HTTP/1.1\r\n\r\n', 400],
  ['GET /v1/ HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ['GET v1/ HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['GET @b/v1/ HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['GET /v1/ HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n', 400],
  ['POST /v1/orgs HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  ['FOO /v1/ HTTP/1.1\r\nHost: a\r\n\r\n', 501],
  ['get /v1/ HTTP/1.1\r\nHost: a\r\n\r\n', 501],
];

test.each(runtimeAnswers)('the runtime itself responds to %j with %i', async (raw, status) => {
  expect((await send(raw)).status).toBe(status);
});

test('the favicon is an image that browsers cache', async () => {
  const response = await platform().request('/favicon.ico');

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
  expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
  expect(await response.text()).toMatch(/^<svg .*<\/svg>$/);
});

test("ignores the gateway's operation header in a client request", async () => {
  const { makeUser, request } = platform();
  const { token, user } = await makeUser();
  const operation = JSON.stringify({ name: 'listOrganizationsForAuthenticatedUser', params: {} });
  const response = await request('/v1/user', { token, headers: { 'octavo-operation': operation } });
  const unknown = await request('/v1/users-of-all', { token, headers: { 'octavo-operation': operation } });

  expect(await response.json()).toMatchObject({ id: user });
  expect(unknown.status).toBe(404);
});
