import { beforeAll, expect, test } from 'vitest';
import { json, makeChangeRequest } from '../../support/content.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';

interface Named {
  id: string;
  urls: { app: string; location: string };
}

let organization: TestOrganization;
let newSpace: TestSpace;
let collection: Named;
let space: Named;
let changeRequest: Named;
let page: Named;

beforeAll(async () => {
  organization = await platform().makeOrganization();
  newSpace = await platform().makeSpace({ organization });
  const { token } = newSpace;
  const [id = ''] = await getClient(platform(), newSpace).change([insertPage('A page', { title: 'A page' })]);
  collection = await json(`/v1/orgs/${organization.id}/collections`, { token, body: { title: 'A collection' } });
  const { id: branch } = await makeChangeRequest(newSpace);
  space = await json(`/v1/spaces/${newSpace.id}`, { token });
  changeRequest = await json(`/v1/spaces/${newSpace.id}/change-requests/${branch}`, { token });
  page = await json(`/v1/spaces/${newSpace.id}/content/page/${id}`, { token });
});

const find = (url: string, token: string = newSpace.token) =>
  platform().request(`/v1/urls/content?url=${encodeURIComponent(url)}`, { token });

async function resolveUrl(url: string): Promise<Record<string, { id: string }>> {
  const response = await find(url);
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as Record<string, { id: string }>;
}

test('finds collections, spaces and change requests by both of their URLs', async () => {
  for (const { app, location } of [collection.urls, collection.urls]) {
    expect(await resolveUrl(app)).toEqual({ collection });
    expect(await resolveUrl(location)).toEqual({ collection });
  }
  expect(await resolveUrl(space.urls.app)).toEqual({ space });
  expect(await resolveUrl(`${space.urls.location}/?x=1#y`)).toEqual({ space });
  expect(await resolveUrl(changeRequest.urls.app)).toEqual({ space, changeRequest });
  expect(await resolveUrl(changeRequest.urls.location)).toEqual({ space, changeRequest });
  expect(await resolveUrl(`${space.urls.app}/change-requests/1`)).toEqual({ space, changeRequest });
});

test('finds pages by ID and by path: live, in a change request, at a revision', async () => {
  const { location } = space.urls;
  const { revision } = space as unknown as { revision: string };

  expect(await resolveUrl(page.urls.app)).toEqual({ space, page });
  expect(await resolveUrl(`${location}/content/page/${page.id}`)).toEqual({ space, page });
  expect(await resolveUrl(`${location}/content/path/a-page`)).toEqual({ space, page });
  expect(await resolveUrl(`${changeRequest.urls.location}/content/page/${page.id}`)).toMatchObject({
    space: { id: newSpace.id },
    changeRequest: { id: changeRequest.id },
    page: { id: page.id },
  });
  expect(await resolveUrl(`${location}/revisions/${revision}/path/a-page`)).toEqual({ space, page });
  expect(await resolveUrl(`${location}/content`)).toEqual({ space });
});

test('returns the same 404 for content that is missing, invisible, or in another organization', async () => {
  const stranger = await platform().makeUser();
  const guest = await platform().makeUser({ organization: organization.id, role: null as unknown as string });
  const { location } = space.urls;
  const origin = new URL(location).origin;
  const responses = [
    ...(await Promise.all(
      [
        'https://example.test/app/spaces/x',
        `${origin}/`,
        `${origin}/v1/orgs/${organization.id}`,
        `${origin}/v2/spaces/${newSpace.id}`,
        `${origin}/v1/spaces/${newSpace.id}%2f..`,
        `${origin}/v1/spaces/%ff`,
        `${origin}/v1/spaces/spc_none`,
        `${origin}/app/collections/col_none`,
        `${location}/content/page/pg_none`,
        `${location}/content/path/nowhere`,
        `${location}/change-requests/999`,
        `${location}/revisions/rev_none`,
        `${location}/permissions/users`,
      ].map((url) => find(url)),
    )),
    ...(await Promise.all(
      [space, collection, changeRequest, page].flatMap(({ urls }) => [
        find(urls.app, stranger.token),
        find(urls.app, guest.token),
      ]),
    )),
  ];

  for (const response of responses) {
    expect(await response.json()).toMatchObject({ error: { type: 'not_found', message: 'Content not found.' } });
    expect(response.headers.get('server-timing')).not.toContain('rows');
  }
});

test('returns 400 for a text that is not a URL', async () => {
  for (const url of ['', 'spaces', 'ftp://example.test/', `https://example.test/${'x'.repeat(2048)}`]) {
    expect([url, (await find(url)).status]).toEqual([url, 400]);
  }
  expect((await platform().request('/v1/urls/content', { token: newSpace.token })).status).toBe(400);
  expect((await platform().request(`/v1/urls/content?url=${space.urls.app}`)).status).toBe(401);
});
