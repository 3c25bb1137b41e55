import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections, listTitles } from './collection-client.ts';

test('creates a collection at the top level', async () => {
  const { makeOrganization, request, url } = platform();
  const { id: organization, token } = await makeOrganization();

  const response = await request(`/v1/orgs/${organization}/collections`, { token, body: { title: 'Guides' } });
  const collection = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`${url}/v1/collections/${collection.id}`);
  expect(collection).toEqual({
    object: 'collection',
    id: expect.stringMatching(/^col_\w{20}$/),
    title: 'Guides',
    organization,
    defaultLevel: null,
    urls: { location: `${url}/v1/collections/${collection.id}`, app: `${url}/app/collections/${collection.id}` },
    permissions: { view: true, admin: true, viewInviteLinks: true, create: true },
  });
  expect(await json(`/v1/collections/${collection.id}`, { token })).toEqual(collection);
  expect(query("SELECT type FROM outbox WHERE data->>'collection' = ?", collection.id)).toEqual([
    { type: 'collection.created' },
  ]);
});

test('needs no body, and then has an empty title', async () => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();

  const response = await request(`/v1/orgs/${id}/collections`, { token, method: 'POST' });

  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ title: '' });
});

test('creates nested collections, newest first', async () => {
  const { make, list } = getCollections(await platform().makeOrganization());
  const outer = await make({ title: 'Outer' });
  for (const title of ['One', 'Two', 'Three'])
    expect(await make({ title, parent: outer.id })).toMatchObject({ parent: outer.id });

  expect(listTitles(await list(), outer.id)).toEqual(['Three', 'Two', 'One']);
});

test.each([[{ title: 'x'.repeat(51) }], [{ title: null }], [{ parent: 'a/b' }], [{ parent: null }], [[]]])(
  'rejects %j',
  async (body) => {
    const organization = await platform().makeOrganization();
    const { id, token } = organization;

    expect((await platform().request(`/v1/orgs/${id}/collections`, { token, body })).status).toBe(400);
    expect(await getCollections(organization).list()).toEqual([]);
  },
);

test('allows 32 levels', async () => {
  const { make, makeSpace, list } = getCollections(await platform().makeOrganization());
  let parent = (await make()).id;
  for (let level = 2; level <= 32; level += 1) parent = (await make({ parent })).id;

  await expect(make({ parent })).rejects.toThrow(/409.*at most 32 levels/);
  expect(await list()).toHaveLength(32);
  expect(await makeSpace({ parent })).toMatchObject({ parent, visibility: 'in-collection' });
});

test('requires the right to create in the parent, whatever the role in the organization', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { make, patch, list } = getCollections(organization);
  const [open, shut, hidden] = [await make(), await make(), await make()];
  await patch(open.id, { defaultLevel: 'create' });
  await patch(shut.id, { defaultLevel: 'review' });
  await patch(hidden.id, { defaultLevel: 'none' });
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const createWithStatus = async (token: string, parent?: string) =>
    (await request(`/v1/orgs/${organization.id}/collections`, { token, body: parent === undefined ? {} : { parent } }))
      .status;

  expect(await createWithStatus(reader.token)).toBe(403);
  expect(await createWithStatus(reader.token, open.id)).toBe(201);
  expect(await createWithStatus(creator.token, shut.id)).toBe(403);
  expect(await createWithStatus(creator.token, hidden.id)).toBe(404);
  expect(await createWithStatus(creator.token, 'col_madeup')).toBe(404);
  expect(await list()).toHaveLength(4);
});

test('returns 404 for a parent in another organization', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const [one, other] = [await makeOrganization(), await makeOrganization()];
  const foreign = await getCollections(other).make();

  await expect(getCollections(one).make({ parent: foreign.id })).rejects.toThrow('404');
  await expect(getCollections(one).makeSpace({ parent: foreign.id })).rejects.toThrow('404');
  const { token } = await makeUser({ organization: one.id, role: 'admin' });
  const response = await request(`/v1/orgs/${other.id}/collections`, { token, body: { parent: foreign.id } });
  expect(response.status).toBe(404);
});
