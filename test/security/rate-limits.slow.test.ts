import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import type { RequestOptions, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { makeSso } from '../support/sign-in.ts';
import { expectLimitHeaders, type Kind, limits } from './reported-limits.ts';

const rateLimits = Object.entries(limits)
  .map(([kind, limit]) => `${kind}=${limit}`)
  .join(', ');

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ rateLimits, addressHeader: 'x-real-ip', allowsPrivate: true });
});
afterAll(() => server?.remove());

const createAddress = (count: number, index: number) => `198.51.${index}.${count}`;
let networks = 0;
/** Returns a client address that no other test uses. */
function createAddressHeader(): Record<string, string> {
  networks += 1;
  return { 'x-real-ip': createAddress(networks % 250, 100) };
}
const createWrongToken = () => `octavo_${crypto.randomUUID().replaceAll('-', '')}`;

/** Sends requests one after another and returns their responses. */
async function sendAll(count: number, send: (index: number) => Promise<Response>): Promise<Response[]> {
  const responses: Response[] = [];
  for (let index = 0; index < count; index += 1) responses.push(await send(index));
  return responses;
}
const getStatuses = (responses: Response[]) => responses.map(({ status }) => status);

const paths: { [K in Kind]?: (space: TestSpace) => string[] } = {
  requests: ({ id }) => ['/v1/user', `/v1/spaces/${id}`, `/v1/spaces/${id}/content/pages`],
  searches: ({ id, organization }) => [`/v1/spaces/${id}/search?query=a`, `/v1/orgs/${organization}/search?query=a`],
  jobs: ({ id }) => [`/v1/spaces/${id}/pdf`, `/v1/spaces/${id}/duplicate`],
};
const getMethod = (path: string) => (path.endsWith('/duplicate') ? 'POST' : 'GET');

describe.each(Object.keys(paths) as Kind[])('%s', (kind) => {
  const send = (space: TestSpace, token: string) => async (index: number) => {
    const of = paths[kind]?.(space) ?? [];
    const path = of[index % of.length] ?? '';
    return server.request(path, { token, method: getMethod(path) });
  };

  test('of one user share a limit across all their tokens, and do not affect other users', async () => {
    const { makeUser, makeSpace, makeOrganization } = server;
    const space = await makeSpace({ organization: await makeOrganization() });
    const [one, other] = [
      await makeUser({ organization: space.organization, role: 'admin' }),
      await makeUser({ organization: space.organization, role: 'admin' }),
    ];
    const responses = await sendAll(limits[kind] + 1, send(space, one.token));

    expect(getStatuses(responses).filter((status) => status === 429)).toHaveLength(1);
    await expectLimitHeaders(responses, kind);
    expect((await send(space, other.token)(0)).status).toBeLessThan(300);
  });

  test('with another token of the same user are rejected once the gateway knows its user', async () => {
    const space = await server.makeSpace();
    const response = await server.request('/v1/user/tokens', { token: space.token, body: { label: 'Second' } });
    const { token } = (await response.json()) as { token: string };
    expect((await server.request('/v1/user', { token })).status).toBe(200);
    const before = kind === 'requests' ? 4 : 0;
    await sendAll(limits[kind] - before, send(space, space.token));

    expect((await send(space, token)(0)).status).toBe(429);
  });
});

test.each(['searches', 'jobs'] as const)(
  "%s with a new token are rejected after the user's limit is reached",
  async (kind) => {
    const space = await server.makeSpace();
    const send = (token: string) => server.request(paths[kind]?.(space)[0] ?? '', { token });
    expect(getStatuses(await sendAll(limits[kind], () => send(space.token)))).not.toContain(429);
    const makeToken = async () => {
      const response = await server.request('/v1/user/tokens', { token: space.token, body: { label: 'New' } });
      return ((await response.json()) as { token: string }).token;
    };

    expect(getStatuses(await sendAll(3, async () => send(await makeToken())))).toEqual([429, 429, 429]);
  },
);

test('a rejected request changes nothing', async () => {
  const space = await server.makeSpace();
  const copy = () => server.request(`/v1/spaces/${space.id}/duplicate`, { token: space.token, method: 'POST' });
  expect(getStatuses(await sendAll(limits.jobs + 3, copy))).toEqual([201, 201, 201, 201, 429, 429, 429]);

  const list = await server.request(`/v1/orgs/${space.organization}/spaces`, { token: space.token });
  expect(await list.json()).toMatchObject({ count: 1 + limits.jobs });
});

describe('requests with wrong tokens', () => {
  const requestUser = (token: string, headers: RequestOptions['headers'] = {}) =>
    server.request('/v1/user', { token, headers });

  test('from one network are rejected, whatever other headers change', async () => {
    const address = createAddressHeader();
    const { token } = await server.makeUser();
    expect((await requestUser(token, address)).status).toBe(200);
    const send = (index: number) =>
      requestUser(createWrongToken(), {
        ...address,
        'x-forwarded-for': createAddress(index, 7),
        'octavo-client-address': createAddress(index, 8),
      });
    const responses = await sendAll(limits['wrong-tokens'] + 1, send);

    expect(getStatuses(responses)).toEqual([401, 401, 401, 401, 401, 429]);
    await expectLimitHeaders(responses, 'wrong-tokens');
    expect((await requestUser(token, address)).status).toBe(200);
    expect((await requestUser(createWrongToken(), createAddressHeader())).status).toBe(401);
    expect((await server.request('/v1/user', { headers: address })).status).toBe(401);
  });

  test.each([
    ['a list', (index: number) => `${createAddress(index, 9)}, 203.0.113.1`],
    ['an address with a port', (index: number) => `203.0.113.2:${4000 + index}`],
    ['no address', (index: number) => `somebody ${index}`],
  ])('from a proxy that sends %s are rejected', async (_, toHeader) => {
    const send = (index: number) => requestUser(createWrongToken(), { 'x-real-ip': toHeader(index) });

    expect(getStatuses(await sendAll(limits['wrong-tokens'] + 1, send)).at(-1)).toBe(429);
  });

  test('from one IPv6 network share a limit', async () => {
    const send = (index: number) => requestUser(createWrongToken(), { 'x-real-ip': `2001:db8:0:7::${index}` });

    expect(getStatuses(await sendAll(limits['wrong-tokens'] + 1, send)).at(-1)).toBe(429);
    expect((await requestUser(createWrongToken(), { 'x-real-ip': '2001:db8:0:8::1' })).status).toBe(401);
  });

  test('that repeat the same token are rejected, even from an unknown IP address', async () => {
    const token = createWrongToken();
    const responses = await sendAll(limits['wrong-tokens'] + 1, () => requestUser(token));

    expect(getStatuses(responses)).toEqual([401, 401, 401, 401, 401, 429]);
    await expectLimitHeaders(responses, 'wrong-tokens');
  });

  test('from an unknown IP address do not affect valid tokens, even unused ones', async () => {
    const responses = await sendAll(3 * limits['wrong-tokens'], () => requestUser(createWrongToken()));
    const { token } = await server.makeUser();

    expect(new Set(getStatuses(responses))).toEqual(new Set([401]));
    expect((await requestUser(token)).status).toBe(200);
  });

  test('that were deleted count like other wrong tokens', async () => {
    const { token } = await server.makeUser();
    const listed = await server.request('/v1/user/tokens', { token });
    const { items } = (await listed.json()) as { items: { id: string }[] };
    await server.request(`/v1/user/tokens/${items[0]?.id}`, { token, method: 'DELETE' });

    expect(getStatuses(await sendAll(limits['wrong-tokens'] + 1, () => requestUser(token))).at(-1)).toBe(429);
  });
});

/** Publishes a site with one space. */
async function makePublishedSite(on: OwnPlatform) {
  const { id, token } = await on.makeOrganization();
  const call = async (path: string, options: RequestOptions = {}) =>
    (await on.request(path, { token, ...options })).json() as Promise<Record<string, string>>;
  const space = await call(`/v1/orgs/${id}/spaces`, { body: { title: 'Guide' } });
  const site = await call(`/v1/orgs/${id}/sites`, { body: { visibility: 'public', spaces: [space.id] } });
  const path = `/v1/orgs/${id}/sites/${site.id}`;
  const { urls } = await call(`${path}/publish`, { method: 'POST' });
  const { published: url } = urls as unknown as { published: string };
  /** Searches with a new visitor token, whose claims no other token has. A suffix makes the token invalid. */
  const search = async (headers: RequestOptions['headers'] = {}, suffix = '') => {
    const unsignedClaims = { n: crypto.randomUUID() };
    const body = { url, visitor: { unsignedClaims } };
    const { apiToken } = await call('/v1/urls/published', { token: undefined, body });
    return on.request(`${path}/search`, { token: `${apiToken}${suffix}`, headers, body: { query: 'a', mode: 'all' } });
  };
  return { url, space: space.id, call, search };
}

describe('visitors', () => {
  test('of one IP address share a limit, whatever claims they send', async () => {
    const [{ search }, address] = [await makePublishedSite(server), createAddressHeader()];
    const responses = await sendAll(limits.searches + 2, () => search(address));

    expect(getStatuses(responses)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await search(createAddressHeader())).status).toBe(200);
  });

  test('can rate pages after reaching the limit for PDFs, up to a separate limit', async () => {
    const [{ url }, headers] = [await makePublishedSite(server), createAddressHeader()];
    const sendRequest = (path: string, method: string) =>
      server.request(`${url.replace(/\/$/, '')}${path}`, { method, headers });
    const pdfs = await sendAll(limits.jobs + 1, () => sendRequest('/~/pdf', 'GET'));
    const ratings = await sendAll(limits.ratings + 1, () => sendRequest('/~/feedback', 'POST'));

    expect(getStatuses(pdfs).indexOf(429)).toBe(limits.jobs);
    expect(getStatuses(ratings).indexOf(429)).toBe(limits.ratings);
  });

  test('of one site share ten times the limit, whatever their IP address and endpoint', async () => {
    const [{ search, url }, other] = [await makePublishedSite(server), await makePublishedSite(server)];
    const read = (path: string) =>
      server.request(`${url.replace(/\/$/, '')}${path}`, { headers: createAddressHeader() });
    const byToken = await sendAll(10 * limits.searches + 1, () => search(createAddressHeader()));
    const byPage = await sendAll(10 * limits.searches + 1, (index) => read(index % 2 ? '/~/search?q=a' : '/~%2fmcp'));

    for (const responses of [byToken, byPage]) {
      expect(getStatuses(responses).filter((status) => status === 429)).toHaveLength(1);
      expect(responses.at(-1)?.status).toBe(429);
    }
    expect((await other.search(createAddressHeader())).status).toBe(200);
  });

  test('with wrong tokens do not count for the site that the tokens name', async () => {
    const { search } = await makePublishedSite(server);
    const responses = await sendAll(10 * limits.searches + 1, () => search(createAddressHeader(), 'x'));

    expect(new Set(getStatuses(responses))).toEqual(new Set([401]));
    expect((await search(createAddressHeader())).status).toBe(200);
  });

  const createVisitedSite = async () => {
    const { url, space, call } = await makePublishedSite(server);
    const { apiToken = '' } = await call('/v1/urls/published', { token: undefined, body: { url } });
    return (headers: RequestOptions['headers'] = {}, more = '') =>
      server.request(`/v1/spaces/${space}`, { token: `${apiToken}${more}`, headers });
  };

  test('with wrong visitor or user tokens do not affect other visitors of the same network', async () => {
    const [ask, address] = [await createVisitedSite(), createAddressHeader()];
    const responses = await sendAll(3 * limits['wrong-tokens'], (index) => ask(address, `x${index}`));
    await sendAll(2 * limits['wrong-tokens'], () =>
      server.request('/v1/user', { token: createWrongToken(), headers: address }),
    );

    expect(new Set(getStatuses(responses))).toEqual(new Set([401]));
    expect((await ask(address)).status).toBe(200);
  });

  test('are limited by token, even from an unknown IP address, without affecting others', async () => {
    const [ask, other] = [await createVisitedSite(), await createVisitedSite()];
    const responses = await sendAll(limits.requests + 1, () => ask());

    expect(new Set(getStatuses(responses.slice(0, -1)))).toEqual(new Set([200]));
    await expectLimitHeaders(responses, 'requests');
    expect((await other()).status).toBe(200);
  });
});

describe('sign-ins', () => {
  const createLinkPath = () => `/sign-in/${crypto.randomUUID().replaceAll('-', '')}`;
  const open = (path: string, headers = {}) => server.request(path, { headers });

  test('from one network are rejected, whether by link or by SSO', async () => {
    const { provider } = await makeSso({}, server);
    const start = new URL(provider.service.startURL).pathname;
    const address = createAddressHeader();
    const responses = await sendAll(limits['sign-ins'] + 1, (index) =>
      open(index % 2 === 1 ? start : createLinkPath(), address),
    );

    expect(getStatuses(responses)).toEqual([404, 302, 404, 302, 429]);
    await expectLimitHeaders(responses, 'sign-ins');
    const acs = {
      method: 'POST',
      headers: { ...address, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=b',
    };
    expect((await server.request(new URL(provider.service.acsURL).pathname, acs)).status).toBe(429);
    expect((await open('/login', address)).status).toBe(429);
    expect((await open(start, createAddressHeader())).status).toBe(302);
  });

  test('from an unknown IP address are limited by link, without affecting others', async () => {
    const { provider } = await makeSso({}, server);
    const start = new URL(provider.service.startURL).pathname;
    const mine = createLinkPath();

    expect(getStatuses(await sendAll(limits['sign-ins'] + 1, () => open(mine)))).toEqual([404, 404, 404, 404, 429]);
    expect((await open(createLinkPath())).status).toBe(404);
    expect(new Set(getStatuses(await sendAll(2 * limits['sign-ins'], () => open(start))))).toEqual(new Set([302]));
  });
});

describe('without a trusted IP address header', () => {
  let plain: OwnPlatform;
  beforeAll(async () => {
    plain = await startOwnPlatform({ rateLimits: 'searches=5, jobs=4, wrong-tokens=5' });
  });
  afterAll(() => plain?.remove());

  test('a header with an IP address is ignored', async () => {
    const headers = {
      'x-real-ip': '203.0.113.7',
      'cf-connecting-ip': '203.0.113.7',
      'octavo-client-address': '203.0.113.7',
    };
    const requestPlainUser = (token: string) => plain.request('/v1/user', { token, headers });
    const responses = await sendAll(3 * limits['wrong-tokens'], () => requestPlainUser(createWrongToken()));
    const { token } = await plain.makeUser();

    expect(new Set(getStatuses(responses))).toEqual(new Set([401]));
    expect((await requestPlainUser(token)).status).toBe(200);
  });

  test('readers share the limit of their site', async () => {
    const [{ url, search }, other] = [await makePublishedSite(plain), await makePublishedSite(plain)];
    const read = (site: string, path: string) => plain.request(`${site.replace(/\/$/, '')}${path}`);

    expect(getStatuses(await sendAll(51, () => search())).filter((status) => status === 429)).toHaveLength(1);
    expect(getStatuses(await sendAll(51, () => read(url, '/~/search?q=a'))).at(-1)).toBe(429);
    expect(getStatuses(await sendAll(41, () => read(url, '/~/pdf'))).at(-1)).toBe(429);
    expect((await read(other.url, '/~/search?q=a')).status).toBe(200);
    expect((await read(url, '/')).status).not.toBe(429);
  });
});

test('without limits, no response contains limit headers or the user', async () => {
  const [off, on] = [await platform().makeUser(), await server.makeUser()];
  const [without, counted] = [
    await platform().request('/v1/user', { token: off.token }),
    await server.request('/v1/user', { token: on.token }),
  ];

  expect([...without.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
  expect(counted.headers.get('x-ratelimit-limit')).toBe(String(limits.requests));
  for (const { headers } of [without, counted]) expect(headers.has('octavo-caller')).toBe(false);
});
