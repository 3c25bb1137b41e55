import http from 'node:http';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';

const same = ['content-type', 'www-authenticate', 'location', 'cache-control', 'content-security-policy', 'etag'];

/** Uses `http` instead of `fetch`, which would hide a body in the response. */
const requestHead = (url: string, body: string) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const request = http.request(url, { method: 'HEAD', headers: { 'content-length': body.length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end(body);
  });

test('HEAD responds like GET, without a body: the API, its errors and pages', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const expected: [string, number][] = [
    [`/v1/spaces/${space.id}`, 200],
    [`/v1/spaces/${space.id}/`, 200],
    [`/v1/orgs/${space.organization}/spaces?limit=1`, 200],
    [`/v1/orgs/${space.organization}/spaces?limit=x`, 400],
    ['/v1/spaces/nothing', 404],
    ['/v1/nothing', 404],
    [`/v1/spaces/${space.id}/merge`, 404],
    ['/sign-in/nothing', 404],
    ['/', 302],
    ['/health', 200],
    ['/openapi.json', 200],
    ['/reference', 200],
    ['/reference/scalar.js', 200],
    ['/favicon.ico', 200],
    [`/app/spaces/${space.id}`, 302],
    [`/v1/user?x=${'x'.repeat(17_000)}`, 413],
  ];
  for (const [path, status] of expected) {
    const [get, head] = [await request(path, space), await request(path, { token: space.token, method: 'HEAD' })];

    expect([path, head.status]).toEqual([path, get.status]);
    if (path.length < 1000) expect([path, head.status]).toEqual([path, status]);
    expect(await head.text()).toBe('');
    for (const name of same) expect([path, head.headers.get(name)]).toEqual([path, get.headers.get(name)]);
  }
});

test('HEAD without a token returns 401 where GET does', async () => {
  expect((await platform().request('/v1/user', { method: 'HEAD' })).status).toBe(401);
});

test('HEAD returns 405 for an endpoint without GET', async () => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();

  expect((await request(`/v1/orgs/${id}/ping`, { token, method: 'HEAD' })).status).toBe(405);
});

test('ignores the body of a HEAD request', async () => {
  const { request, url } = platform();

  expect(await requestHead(new URL('/health', url).href, 'x'.repeat(1000))).toEqual({ status: 200, text: '' });
  expect(await requestHead(new URL('/v1/user', url).href, '{}')).toEqual({ status: 401, text: '' });
  expect((await request('/health')).status).toBe(200);
});
