import type { Site } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getClient, insertPage, writePage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import type { RequestOptions, TestSpace } from '../../support/platform.ts';
import { measure, signClaims } from './reads.ts';

let server: OwnPlatform;

beforeAll(async () => {
  server = await startOwnPlatform({ shape: 'workers', countsRows: true, env: { OCTAVO_SITE_MAX_AGE: '600' } });
}, 120_000);

afterAll(() => server?.remove());

const post = <Body>(path: string, token: string, body?: object) =>
  json<Body>(path, { token, method: 'POST', ...(body && { body }) }, server);

/** Returns the bookmark of the newest state of the database, as the API returns it to a client. */
async function readBookmark({ id, token }: TestSpace): Promise<Record<string, string>> {
  const response = await server.request(`/v1/spaces/${id}`, { token });
  return { 'octavo-bookmark': response.headers.get('octavo-bookmark') ?? '' };
}

describe.each(['public', 'visitor-auth'])('a recently read site with the visibility %s', (visibility) => {
  let space: TestSpace;
  let page: string;
  let address: string;
  let visitor: RequestOptions;
  let token: string;

  const read = (path: string, headers: Record<string, string> = {}) =>
    measure(server, `${address}${path}`, { headers: { ...visitor.headers, ...headers } });

  const write = (markdown: string) => getClient(server, space).change([writePage(page, markdown)]);

  beforeAll(async () => {
    const organization = await server.makeOrganization();
    space = await server.makeSpace({ organization });
    const titles = ['Start', 'Second', 'Third'];
    [, page = ''] = await getClient(server, space).change(titles.map((title) => insertPage(title)));
    const sites = `/v1/orgs/${organization.id}/sites`;
    const site = await post<Site>(sites, organization.token, { title: 'Docs', spaces: [space.id], visibility });
    const { urls } = await post<Site>(`${sites}/${site.id}/publish`, organization.token);
    const auth = `${sites}/${site.id}/publishing/auth/regenerate`;
    const { privateKey } = await post<{ privateKey: string }>(auth, organization.token);
    address = urls.published ?? '';
    token = signClaims(privateKey, { group: 'staff' });
    visitor = visibility === 'public' ? {} : { headers: { cookie: `octavo-visitor-${site.id}=${token}` } };
  });

  test('takes 3 sequential round trips for the first page, 2 for a further one, and none for a cached one', async () => {
    const costs = [await read(''), await read('second'), await read('second'), await read('')];

    expect(costs.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(costs.map(({ sequential }) => sequential)).toEqual([3, 2, 0, 0]);
    expect(costs.map(({ trips }) => trips)).toEqual([4, 2, 0, 0]);
  });

  test('takes at most 2 sequential round trips to search', async () => {
    await read('');
    await read('~/search?q=third');

    expect((await read('~/search?q=third')).sequential).toBeLessThanOrEqual(2);
  });

  test('is read again for a client that has seen a later state, in one round trip', async () => {
    const before = await read('third');
    await server.makeOrganization();
    const bookmark = await readBookmark(space);
    const [after, response] = [await read('third', bookmark), await read('third', bookmark)];

    expect([after.tag, after.trips, response.trips]).toEqual([before.tag, 1, 0]);
  });

  test('shows an edit to its author immediately, and to others when the site is read again', async () => {
    await write('Former words.\n');
    expect((await read('second', await readBookmark(space))).text).toContain('Former words.');
    await write('Second words.\n');
    const former = await read('second');
    const response = await read('second', await readBookmark(space));
    const later = await read('second');

    expect([former.text, former.trips]).toEqual([expect.stringContaining('Former words.'), 0]);
    expect([response.text, response.sequential]).toEqual([expect.stringContaining('Second words.'), 3]);
    expect([later.text, later.trips]).toEqual([response.text, 0]);
  });

  test('never shows an earlier state to a visitor who signs in', async () => {
    await write('Words before.\n');
    await read('second', await readBookmark(space));
    await write('Words after.\n');
    const { 'octavo-bookmark': bookmark } = await readBookmark(space);
    const signIn = visibility === 'public' ? 'visitor.plan=pro' : `jwt_token=${token}`;
    const headers = { ...visitor.headers, 'octavo-bookmark': bookmark ?? '' };
    const response = await server.request(`${address}?${signIn}`, { headers });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');

    const all = [visitor.headers?.cookie ?? '', ...cookies].filter((each) => each !== '').join('; ');
    expect(all).toContain('octavo-bookmark=');
    expect((await read('second', { cookie: all })).text).toContain('Words after.');
  });

  test('is read in one round trip by another isolate, which finds pages in the cache of the data center', async () => {
    const before = await read('second', await readBookmark(space));
    await server.kill('SIGTERM');
    await server.restart();
    const [after, response] = [await read('second'), await read('second')];

    expect([after.text, after.tag, after.trips]).toEqual([before.text, before.tag, 1]);
    expect(response.trips).toBe(0);
  }, 120_000);

  test('shows texts that another isolate has rendered, after an edit of the tree', async () => {
    await read('third', await readBookmark(space));
    await getClient(server, space).change([{ operation: 'update_page', page, title: 'New title' }]);
    await server.kill('SIGTERM');
    await server.restart();
    // This view reads the tree.
    await read('', await readBookmark(space));
    const { text, sequential } = await read('third');

    // The view of the third page only resolves its address.
    expect([text, sequential]).toEqual([expect.stringContaining('New title'), 1]);
  }, 120_000);
});
