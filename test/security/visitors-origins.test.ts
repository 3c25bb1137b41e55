import { beforeAll, expect, test } from 'vitest';
import type { OpenSite } from '../publishing/audiences/open-site.ts';
import { openSite } from '../publishing/audiences/open-site.ts';
import { readAddress, rows, visited } from '../publishing/audiences/reads.ts';
import { platform } from '../support/platform.ts';

let site: OpenSite;
beforeAll(async () => {
  site = await openSite('visitor-auth');
});

const origin = 'https://renderer.example';
const requestHeaders = ['authorization', 'content-type', 'prefer', 'user-agent'];

/** Every request of a renderer: the URL resolution, and the reads with the resulting token. */
const listRequests = () => [
  {
    path: '/v1/urls/published',
    method: 'POST',
    body: { url: `${site.base}/start`, visitor: site.visitor },
    status: 200,
  },
  ...visited.map((operation) => ({
    ...{ path: readAddress(operation, site.ids), method: operation.endpoint.method },
    ...{ body: rows[operation.id]?.body, status: rows[operation.id]?.isOfPreview ? 404 : 200 },
  })),
];

function expectOpen(path: string, { headers }: Response) {
  expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
  expect([path, headers.get('access-control-allow-credentials')]).toEqual([path, null]);
  expect([path, headers.get('set-cookie')]).toEqual([path, null]);
}

test('browsers can call every endpoint that renderers use from any origin, without credentials', async () => {
  for (const { path, method } of listRequests()) {
    const headers = {
      ...{
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': requestHeaders.join(','),
      },
    };
    const response = await platform().request(path, { method: 'OPTIONS', headers });
    const allowed = (response.headers.get('access-control-allow-headers') ?? '').split(/,\s*/);

    expect([path, response.status, requestHeaders.filter((name) => !allowed.includes(name))]).toEqual([path, 204, []]);
    expect(response.headers.get('access-control-allow-methods')).toContain(method);
    expectOpen(path, response);
  }
});

test('responses allow all origins, depend only on the token, and have matching cache headers', async () => {
  const tags = new RegExp(`^(?:space:${site.ids.spaceId},)?site:${site.site}$`);
  for (const { path, method, body, status } of listRequests()) {
    const headers = { origin, 'content-type': 'application/json' };
    const options = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await platform().request(path, { ...options, token: site.token });
    const cookies = { cookie: `token=${site.token}; authorization=Bearer ${site.token}` };
    const byCookie = await platform().request(path, { ...options, headers: { ...headers, ...cookies } });

    expect([path, response.status]).toEqual([path, status]);
    for (const each of [response, byCookie]) expectOpen(path, each);
    if (path === '/v1/urls/published') continue;
    expect([path, byCookie.status]).toEqual([path, 401]);
    if (status === 404) continue;
    expect([path, response.headers.get('x-gitbook-cache-tag')]).toEqual([path, expect.stringMatching(tags)]);
    expect([path, response.headers.get('x-gitbook-cache-control')]).toEqual([
      path,
      expect.stringMatching(/^max-age=\d+$/),
    ]);
  }
});
