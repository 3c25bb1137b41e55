import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { bindWithSessions } from '../../../test/support/memory-database.ts';
import type { DirectoryEnvironment } from './environment.ts';
import directory from './worker.ts';

function createCells(claimed: string) {
  const received: string[] = [];
  const createCell = (name: string) => ({
    fetch: async (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/directory/')) return Response.json({ claim: claimed === name ? 'current' : null });
      received.push(name);
      const headers = JSON.stringify([...request.headers]);
      return new Response(`${request.url} ${headers} ${await request.text()}`, {
        status: 202,
        headers: { etag: '"1"' },
      });
    },
  });
  const env = {
    DB: bindWithSessions(new DatabaseSync(':memory:')),
    OCTAVO_PUBLIC_URL: 'https://octavo.test',
    OCTAVO_DIRECTORY_KEY: 'the key',
    OCTAVO_CELLS: 'eu us',
    CELL_EU: createCell('eu'),
    CELL_US: createCell('us'),
  } as unknown as DirectoryEnvironment;
  const send = (path: string, init?: RequestInit) =>
    directory.fetch(
      new Request(new URL(path, env.OCTAVO_PUBLIC_URL), init) as Parameters<typeof directory.fetch>[0],
      env,
      { waitUntil: () => undefined } as unknown as ExecutionContext,
    );
  return { env, received, send };
}

test('forwards a request with its URL, headers and body unchanged, and returns the response unchanged', async () => {
  const { received, send } = createCells('us');
  const headers = { 'content-type': 'text/plain', 'octavo-operation': '{"name":"forged"}', 'x-real-ip': '203.0.113.7' };
  const response = await send('/v1/spaces/spc_forwarded?a=1', { method: 'POST', headers, body: 'words' });

  expect(received).toEqual(['us']);
  expect([response.status, [...response.headers]]).toEqual([
    202,
    [
      ['content-type', 'text/plain;charset=UTF-8'],
      ['etag', '"1"'],
    ],
  ]);
  expect(await response.text()).toBe(
    `https://octavo.test/v1/spaces/spc_forwarded?a=1 ${JSON.stringify(Object.entries(headers))} words`,
  );
});

test.each(['/', '/v1/orgs/org_unknown', '/%'])(
  'forwards %s to the first cell if no cell contains the object',
  async (path) => {
    const { received, send } = createCells('none');
    await send(path);

    expect(received).toEqual(['eu']);
  },
);

test('refuses requests to the lookup path that only a directory may send to cells', async () => {
  const { received, send } = createCells('us');
  const { status } = await send('/directory/keys/space/spc_a', { headers: { authorization: 'Bearer the key' } });

  expect([status, received]).toEqual([404, []]);
});

test('the header Octavo-Cell chooses a cell for operators and smoke tests only', async () => {
  const { received, send } = createCells('eu');
  const headers = { 'octavo-cell': 'us' };
  const chosen = ['/v1', '/health', '/health/details', '/metrics', '/operator/doctor', '/v1/spaces/smoke-test/content'];
  for (const path of chosen) await send(path, { headers });
  expect(received).toEqual(chosen.map(() => 'us'));
  const { status } = await send('/health', { headers: { 'octavo-cell': 'no-such-cell' } });
  expect([received.length, status]).toEqual([chosen.length, 404]);

  const others = ['/v1/spaces/spc_chosen', '/sign-in/a-secret', '/healthy', 'https://docs.chosen.example/health'];
  for (const path of others) await send(path, { headers });
  expect(received.slice(chosen.length)).toEqual(others.map(() => 'eu'));
});

test('forwards a request for a sign-in mail to all cells, even if one of them does not respond', async () => {
  const { env, received, send } = createCells('none');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const body = 'email=ann%40acme.example';
  const options = { method: 'POST', body, headers: { 'content-length': String(body.length) } };
  const response = await send('/login', options);

  expect(received).toEqual(['eu', 'us']);
  expect([response.status, await response.text()]).toEqual([202, expect.stringContaining(body)]);
  env.CELL_EU = { fetch: async () => new Response('', { status: 503 }) } as unknown as Fetcher;
  expect((await send('/login', options)).status).toBe(202);
  env.CELL_US = { fetch: () => Promise.reject(new Error('The connection was refused.')) } as unknown as Fetcher;
  expect((await send('/login', options)).status).toBe(503);
  env.CELL_EU = env.CELL_US;
  expect((await send('/login', options)).headers.get('retry-after')).toBe('5');
  expect(received).toEqual(['eu', 'us', 'us']);
});

test('forwards an oversized request for a sign-in mail only to the first cell, which rejects it', async () => {
  const { received, send } = createCells('none');
  for (const headers of [{ 'content-length': '65537' }, {}])
    await send('/login', { method: 'POST', body: 'a', headers });

  expect(received).toEqual(['eu', 'eu']);
});

test('forwards the pages for signing in and out to the first cell, without a session', async () => {
  const { received, send } = createCells('us');
  for (const [path, method] of [
    ['/login', 'GET'],
    ['/logout', 'POST'],
    ['/sso/unknown', 'GET'],
  ] as const)
    await send(path, { method });

  expect(received).toEqual(['eu', 'eu', 'eu']);
});

test('returns a retryable 503 if a cell does not respond', async () => {
  const { env, send } = createCells('us');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { fetch } = env.CELL_US as Fetcher;
  env.CELL_US = {
    fetch: async (request: Request) => {
      if (!request.url.includes('/directory/')) throw new Error('The connection was refused.');
      return fetch(request);
    },
  } as unknown as Fetcher;
  const response = await send('/v1/spaces/spc_unreachable');

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
});
