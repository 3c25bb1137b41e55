import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

const roles = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const;

test.each(roles)('returns the permissions of a member with the role %s', async (role) => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const { id } = await getCollections(organization).make();
  const { token } = await makeUser({ organization: organization.id, role });
  const manages = role === 'create' || role === 'admin';

  expect(await json(`/v1/collections/${id}`, { token })).toMatchObject({
    permissions: { view: true, admin: manages, viewInviteLinks: manages, create: manages },
  });
});

test('applies the level of the nearest collection that sets one', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { make, patch } = getCollections(organization);
  const outer = await make();
  const middle = await make({ parent: outer.id });
  const inner = await make({ parent: middle.id });
  const { token } = await makeUser({ organization: organization.id, role: 'create' });
  const canAdminister = async (id: string) =>
    (await json<{ permissions: { admin: boolean } }>(`/v1/collections/${id}`, { token })).permissions.admin;

  await patch(outer.id, { defaultLevel: 'read' });
  expect([await canAdminister(outer.id), await canAdminister(inner.id)]).toEqual([false, false]);
  await patch(middle.id, { defaultLevel: 'create' });
  expect([await canAdminister(outer.id), await canAdminister(inner.id)]).toEqual([false, true]);
  await patch(inner.id, { defaultLevel: 'none' });
  expect((await request(`/v1/collections/${inner.id}`, { token })).status).toBe(404);
});

test('returns 404 for a collection of another organization', async () => {
  const { makeOrganization } = platform();
  const { id } = await getCollections(await makeOrganization()).make();

  expect(await getCollections(await makeOrganization()).status(`/v1/collections/${id}`)).toBe(404);
});
