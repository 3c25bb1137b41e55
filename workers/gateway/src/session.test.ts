import { expect, test } from 'vitest';
import type { GatewayEnvironment } from './environment.ts';
import { convertSession, renewSession } from './session.ts';

const secret = `octavo_${'a'.repeat(40)}`;
const env = { OCTAVO_PUBLIC_URL: 'https://octavo.test' } as GatewayEnvironment;
const session = `__Host-octavo_session=${secret}.1700000000`;
const fromApp = { 'octavo-app': '1', origin: 'https://octavo.test' };

const convert = (headers: Record<string, string>, target: Parameters<typeof convertSession>[2] = {}, method = 'GET') =>
  Object.fromEntries(
    convertSession(new Request('https://octavo.test/v1/user', { method, headers }), env, target).request.headers,
  );

test('the cookie becomes Authorization, and other cookies are kept', () => {
  const { cookie, authorization } = convert({ ...fromApp, cookie: `a=b; ${session}; c=d` });

  expect({ cookie, authorization }).toEqual({ cookie: 'a=b; c=d', authorization: `Bearer ${secret}` });
});

test('a site receives neither the cookie nor Authorization', () => {
  expect(convert({ ...fromApp, cookie: session }, { isOfSite: true })).toEqual(fromApp);
});

test('the cookie is removed even if it is not used', () => {
  expect(convert({ cookie: session })).toEqual({});
  expect(convert({ ...fromApp, cookie: session, authorization: 'Bearer x' })).toEqual({
    ...fromApp,
    authorization: 'Bearer x',
  });
});

test('a cookie without the prefix is not accepted under https, but removed', () => {
  const plain = `octavo_session=${secret}.1700000000`;

  expect(convert({ ...fromApp, cookie: plain })).toEqual(fromApp);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a %s needs the origin of the server', (method) => {
  const send = (origin: string) => convert({ ...fromApp, origin, cookie: session }, {}, method).authorization;

  expect(send('https://octavo.test')).toBe(`Bearer ${secret}`);
  for (const origin of ['https://octavo.test.evil.example', 'http://octavo.test', 'null', 'https://octavo.test:8443'])
    expect(send(origin)).toBeUndefined();
});

test('only the pages that read the session receive the cookie', () => {
  expect(convert({ cookie: session }, { readsSession: true })).toEqual({ cookie: session });
});

test.each([
  [200, 1],
  [304, 1],
  [401, 0],
  [404, 0],
  [429, 0],
])('after a response with status %i, an old secret is renewed %i times', async (status, count) => {
  let calls = 0;
  const renewingEnv = {
    ...env,
    ORG_ADMIN: {
      fetch: async () => {
        calls += 1;
        return new Response(null, { headers: { 'set-cookie': 'a=b' } });
      },
    },
  } as unknown as GatewayEnvironment;
  const request = new Request('https://octavo.test/v1/user', { headers: { ...fromApp, cookie: session } });
  const response = new Response(null, { status });

  await renewSession(convertSession(request, env, {}), response, {
    env: renewingEnv,
    requestId: 'req_a',
    address: undefined,
  });

  expect(calls).toBe(count);
  expect(response.headers.get('set-cookie')).toBe(count === 1 ? 'a=b' : null);
});

test('a failed renewal does not change the response', async () => {
  const fetch = () => Promise.reject(new Error('The worker is not available.'));
  const request = new Request('https://octavo.test/v1/user', { headers: { ...fromApp, cookie: session } });
  const response = new Response('{}');

  await renewSession(convertSession(request, env, {}), response, {
    env: { ...env, ORG_ADMIN: { fetch } } as unknown as GatewayEnvironment,
    requestId: 'req_a',
    address: undefined,
  });

  expect(response.status).toBe(200);
  expect(response.headers.get('set-cookie')).toBeNull();
});
