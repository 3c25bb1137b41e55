import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';

const permissions = {
  view: true,
  access: true,
  admin: true,
  viewInviteLinks: true,
  edit: true,
  triggerGitSync: false,
  comment: true,
  merge: true,
  review: true,
  installIntegration: true,
};

test('creates an empty space with a first revision', async () => {
  const { makeOrganization, request, url } = platform();
  const { id: organization, token } = await makeOrganization();

  const response = await request(`/v1/orgs/${organization}/spaces`, { token, body: { title: 'Guide', emoji: '📚' } });
  const space = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`${url}/v1/spaces/${space.id}`);
  expect(space).toEqual({
    object: 'space',
    type: 'document',
    id: expect.stringMatching(/^spc_\w{20}$/),
    title: 'Guide',
    emoji: '📚',
    visibility: 'private',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    editMode: 'live',
    organization,
    revision: expect.stringMatching(/^rev_\w{20}$/),
    defaultLevel: null,
    mergeRules: { type: 'inherit' },
    comments: 0,
    changeRequests: 0,
    changeRequestsOpen: 0,
    changeRequestsDraft: 0,
    urls: { location: `${url}/v1/spaces/${space.id}`, app: `${url}/app/spaces/${space.id}` },
    permissions,
  });
  expect(await json(`/v1/spaces/${space.id}/content/pages`, { token })).toEqual({ pages: [] });
});

test('needs no body', async () => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();

  const response = await request(`/v1/orgs/${id}/spaces`, { token, method: 'POST' });

  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ title: '', emoji: '', editMode: 'live' });
});

test('records events', async () => {
  const { id } = await platform().makeSpace();

  expect(query('SELECT type FROM outbox WHERE space = ?', id)).toEqual(
    expect.arrayContaining([{ type: 'space.created' }, { type: 'revision.created' }]),
  );
});

test.each([
  [{ title: 'x'.repeat(51) }],
  [{ emoji: 'abc' }],
  [{ emoji: '📚📚' }],
  [{ emoji: '<b>' }],
  [{ editMode: 'open' }],
  [{ parent: 'a/b' }],
  [[]],
])('rejects %j', async (body) => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();

  expect((await request(`/v1/orgs/${id}/spaces`, { token, body })).status).toBe(400);
  expect(await json(`/v1/orgs/${id}/spaces`, { token })).toMatchObject({ count: 0 });
});

test("creates the space at the start of a collection, and returns the caller's permissions there", async () => {
  const { makeOrganization, makeUser, request } = platform();
  const { id, token } = await makeOrganization();
  const reader = await makeUser({ organization: id, role: 'read' });
  const { id: parent } = await json<{ id: string }>(`/v1/orgs/${id}/collections`, { token, body: {} });
  const first = await json<{ id: string }>(`/v1/orgs/${id}/spaces`, { token, body: { parent } });
  const make = (body: object) => request(`/v1/orgs/${id}/spaces`, { token: reader.token, body });
  expect((await make({ parent })).status).toBe(403);
  await json(`/v1/collections/${parent}`, { token, method: 'PATCH', body: { defaultLevel: 'create' } });

  const response = await make({ parent });
  const space = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(space).toMatchObject({ parent, visibility: 'in-collection', permissions });
  expect(await json(`/v1/spaces/${space.id}`, reader)).toEqual(space);
  const { items } = await json<{ items: { id: string }[] }>(`/v1/collections/${parent}/spaces`, { token });
  expect(items.map((item) => item.id)).toEqual([space.id, first.id]);
  expect((await make({})).status).toBe(403);
  expect((await make({ parent: 'col_madeup' })).status).toBe(404);
});
