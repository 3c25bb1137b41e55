import { expect, test } from 'vitest';
import { makePage, searchSpace } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from '../collections/collection-client.ts';
import { getLifecycles } from './space-life.ts';

const server = platform();

const dayMilliseconds = 24 * 60 * 60 * 1000;

test('restores a deleted space unchanged', async () => {
  const organization = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const { id: parent } = await getCollections(organization).make();
  const space = await lives.make({ title: 'Guide', parent });
  const page = await makePage({ ...space, token: organization.token }, 'A page', 'Walruses.');
  const before = await lives.get(space.id);
  await lives.remove(space.id);

  const response = await lives.restore(space.id);

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(before);
  expect(await lives.get(space.id)).toEqual(before);
  const { token } = organization;
  expect((await platform().request(`/v1/spaces/${space.id}/content/page/${page}`, { token })).status).toBe(200);
  await until(async () => (await searchSpace({ id: space.id, token }, 'walruses')).items[0]);
  expect((await lives.restore(space.id)).status).toBe(409);
});

test('a deleted space can be restored for 7 days', async () => {
  const organization = await server.makeOrganization();
  const lives = getLifecycles(organization, server);
  const [early, late] = [await lives.make(), await lives.make()];
  const trash = 'UPDATE spaces SET deleted_at = ? WHERE id = ?';
  await writeDatabase(server, trash, Date.now() - 7 * dayMilliseconds + 60_000, early.id);
  await writeDatabase(server, trash, Date.now() - 7 * dayMilliseconds - 1000, late.id);

  expect((await lives.restore(early.id)).status).toBe(200);
  const response = await lives.restore(late.id);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { message: 'Space not found.' } });
});

test('is rejected for a member who does not manage the space', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const hidden = await lives.make();
  await lives.patch(hidden.id, { defaultLevel: 'none' });
  const open = await lives.make();
  for (const space of [hidden, open]) await lives.remove(space.id);
  const before = await lives.get(hidden.id);
  const roles = ['read', 'review', 'create'];
  const [reader, reviewer, creator] = await Promise.all(
    roles.map((role) => platform().makeUser({ organization: organization.id, role })),
  );
  const stranger = await platform().makeUser({ organization: id, role: 'admin' });

  for (const user of [reader, reviewer, creator, stranger]) {
    expect((await getLifecycles({ ...organization, ...user }).restore(hidden.id)).status).toBe(404);
  }
  for (const user of [reader, reviewer, stranger]) {
    expect((await getLifecycles({ ...organization, ...user }).restore(open.id)).status).toBe(404);
  }
  expect(await lives.get(hidden.id)).toEqual(before);
  expect((await getLifecycles({ ...organization, ...creator }).restore(open.id)).status).toBe(200);
});

test('only one of 25 concurrent restores succeeds', async () => {
  const organization = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const { id } = await lives.make();
  await lives.remove(id);

  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await lives.restore(id)).status));

  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(24);
});

/** Makes a space in the innermost of three nested collections. */
async function makeNestedSpace() {
  const organization = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const collections = getCollections(organization);
  const { id: top } = await collections.make();
  const { id: outer } = await collections.make({ parent: top });
  const { id: inner } = await collections.make({ parent: outer });
  await lives.make({ title: 'Sibling', parent: top });
  const space = await lives.make({ title: 'Lost', parent: inner });
  return { organization, lives, collections, top, outer, inner, space };
}

test('restores into the nearest parent collection that still exists, or to the top level', async () => {
  const { lives, collections, top, outer, space } = await makeNestedSpace();
  await collections.remove(outer);
  expect(await (await lives.restore(space.id)).json()).toMatchObject({ parent: top, defaultLevel: null });
  await collections.remove(top);
  const back = await (await lives.restore(space.id)).json();
  expect(back).not.toHaveProperty('parent');
  expect(back).toMatchObject({ defaultLevel: null, permissions: { admin: true } });
});

test("a level inherited from a deleted collection becomes the space's own level", async () => {
  const { organization, lives, collections, outer, space } = await makeNestedSpace();
  await lives.patchCollection(outer, { defaultLevel: 'comment' });
  const editor = await platform().makeUser({ organization: organization.id, role: 'edit' });
  await collections.remove(outer);

  expect(await (await lives.restore(space.id)).json()).toMatchObject({ defaultLevel: 'comment' });
  expect((await getLifecycles({ ...organization, ...editor }).get(space.id)).permissions).toMatchObject({
    comment: true,
    edit: false,
  });
});

test('content hidden by a deleted collection stays hidden, also from its creator', async () => {
  const { organization, lives, collections, outer } = await makeNestedSpace();
  const maker = await platform().makeUser({ organization: organization.id, role: 'create' });
  const space = await getLifecycles({ ...organization, ...maker }).make({ parent: outer });
  await lives.patchCollection(outer, { defaultLevel: 'none' });
  expect(await getLifecycles({ ...organization, ...maker }).status(space.id)).toBe(404);
  await collections.remove(outer);

  expect(await (await lives.restore(space.id)).json()).toMatchObject({ defaultLevel: 'none' });
  expect(await getLifecycles({ ...organization, ...maker }).status(space.id)).toBe(404);
});

test('the restoring user keeps the role from a deleted collection, and no other user gains access', async () => {
  const { organization, lives, collections, inner, space } = await makeNestedSpace();
  const { makeUser } = platform();
  const guest = await makeUser({ organization: organization.id, role: 'read' });
  const barred = await makeUser({ organization: organization.id, role: 'create' });
  await lives.grant(`collections/${inner}`, [guest.user], 'create');
  await lives.grant(`collections/${inner}`, [barred.user], null);
  await collections.remove(inner);

  const response = await getLifecycles({ ...organization, ...guest }).restore(space.id);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ defaultLevel: 'none', permissions: { admin: true, access: true } });
  expect(await getLifecycles({ ...organization, ...barred }).status(space.id)).toBe(404);
});

test("a guest who restores a space keeps the role from a deleted collection, whatever the space's level", async () => {
  const organization = await server.makeOrganization();
  const lives = getLifecycles(organization, server);
  const { id: parent } = await getCollections(organization, server).make();
  const space = await lives.make({ parent });
  await lives.patch(space.id, { defaultLevel: 'read' });
  const guest = await server.makeUser({ organization: organization.id, role: 'read' });
  const other = await server.makeUser({ organization: organization.id, role: 'read' });
  await lives.grant(`collections/${parent}`, [guest.user, other.user], 'create');
  await writeDatabase(server, 'UPDATE members SET role = NULL WHERE user IN (?, ?)', guest.user, other.user);
  await getCollections(organization, server).remove(parent);

  const response = await getLifecycles({ ...organization, ...guest }, server).restore(space.id);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ defaultLevel: 'read', permissions: { admin: true, access: true } });
  expect(await getLifecycles({ ...organization, ...other }, server).status(space.id)).toBe(404);
});
