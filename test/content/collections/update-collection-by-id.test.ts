import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

test.each([
  [{ title: 'New' }, { title: 'New' }],
  [{ title: '' }, { title: '' }],
  [{ description: 'About it' }, { description: 'About it' }],
  [{ description: '' }, {}],
  [{ defaultLevel: 'edit' }, { defaultLevel: 'edit' }],
  [{ defaultLevel: 'none' }, { defaultLevel: 'none' }],
  [{ defaultLevel: 'inherit' }, { defaultLevel: null }],
  [{ defaultLevel: null }, { defaultLevel: null }],
  [{ id: 'x', organization: 'x', parent: 'x' }, {}],
  [{}, {}],
  [undefined, {}],
])('the update %j results in %j and changes nothing else', async (body, expected) => {
  const { make, patch, get } = getCollections(await platform().makeOrganization());
  const before = await make({ title: 'Old' });

  const response = await patch(before.id, body);
  const changed = await response.json();

  expect(response.status).toBe(200);
  expect(changed).toEqual({ ...before, ...expected });
  expect(await get(before.id)).toEqual(changed);
});

test.each([
  [{ createdBy: 'x', title: 'New' }],
  [{ position: 'x', title: 'New' }],
  [{ deletedAt: 1, title: 'New' }],
  [{ title: 'x'.repeat(51) }],
  [{ title: null }],
  [{ description: 'x'.repeat(101) }],
  [{ title: 'New', defaultLevel: 'owner' }],
])('rejects %j', async (body) => {
  const { make, patch, get } = getCollections(await platform().makeOrganization());
  const before = await make({ title: 'Old' });

  expect((await patch(before.id, body)).status).toBe(400);
  expect(await get(before.id)).toEqual(before);
});

test('concurrent changes of different fields are both applied', async () => {
  const { make, patch, get } = getCollections(await platform().makeOrganization());
  const collections = await Promise.all(Array.from({ length: 10 }, () => make({ title: 'Old' })));

  await Promise.all(
    collections.flatMap(({ id }) => [
      patch(id, { title: 'New' }),
      patch(id, { description: 'About it' }),
      patch(id, { defaultLevel: 'edit' }),
    ]),
  );

  for (const { id } of collections) {
    expect(await get(id)).toMatchObject({ title: 'New', description: 'About it', defaultLevel: 'edit' });
  }
});

test("returns the caller's permissions after the change, and records it", async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const { make, patch, get } = getCollections({ id: organization.id, token: creator.token });
  const { id } = await make();

  const { permissions } = (await (await patch(id, { defaultLevel: 'read' })).json()) as { permissions: object };

  expect(permissions).toEqual({ view: true, admin: false, viewInviteLinks: false, create: false });
  expect(await get(id)).toMatchObject({ permissions });
  expect((await patch(id, { defaultLevel: 'create' })).status).toBe(403);
  expect(query("SELECT type FROM outbox WHERE data->>'collection' = ? ORDER BY created_at", id)).toEqual([
    { type: 'collection.created' },
    { type: 'collection.updated' },
  ]);
});

test('the creator keeps access to a collection hidden from everyone', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const other = await makeUser({ organization: organization.id, role: 'create' });
  const { make, patch } = getCollections({ id: organization.id, token: creator.token });
  const { id } = await make();

  const response = await patch(id, { defaultLevel: 'none' });

  expect(await response.json()).toMatchObject({ defaultLevel: 'none', permissions: { view: true, admin: true } });
  expect(await getCollections({ ...other, id: '' }).status(`/v1/collections/${id}`)).toBe(404);
});

test("returns 403 for a default level above the caller's own role", async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { make, get, patch } = getCollections(organization);
  const { id } = await make({ title: 'Ours' });
  const { token } = await makeUser({ organization: organization.id, role: 'create' });
  const setLevelAsCreator = (defaultLevel: string) =>
    request(`/v1/collections/${id}`, { token, method: 'PATCH', body: { defaultLevel } });

  expect((await setLevelAsCreator('admin')).status).toBe(403);
  expect(await get(id)).toMatchObject({ defaultLevel: null });
  expect((await setLevelAsCreator('create')).status).toBe(200);
  expect((await patch(id, { defaultLevel: 'admin' })).status).toBe(200);
});
