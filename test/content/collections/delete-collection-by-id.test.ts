import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections, getCost, getIds } from './collection-client.ts';

test('deletes nested collections, and only moves their spaces to the trash', async () => {
  const { make, makeSpace, remove, space, list, spaces, status } = getCollections(await platform().makeOrganization());
  const around = await make();
  const outer = await make({ parent: around.id });
  const inner = await make({ parent: outer.id });
  const inside = [await makeSpace({ parent: outer.id }), await makeSpace({ parent: inner.id })];
  const beside = [await makeSpace(), await makeSpace({ parent: around.id })];

  expect((await remove(outer.id)).status).toBe(205);

  expect(getIds(await list())).toEqual([around.id]);
  expect(getIds(await spaces())).toEqual(getIds(beside));
  for (const { id } of [outer, inner]) {
    expect(await status(`/v1/collections/${id}`)).toBe(404);
    expect(await status(`/v1/collections/${id}/spaces`)).toBe(404);
  }
  for (const { id, parent } of inside) {
    expect(await space(id)).toMatchObject({ parent, deletedAt: expect.any(String), permissions: { access: false } });
    expect(await status(`/v1/spaces/${id}/content`)).toBe(404);
  }
});

test('grants on trashed spaces are not counted for members and teams', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { id: organizationId, token } = organization;
  const { make, makeSpace, remove } = getCollections(organization);
  const { user } = await makeUser({ organization: organizationId, role: 'read' });
  const team = await json<{ id: string }>(`/v1/orgs/${organizationId}/teams`, {
    ...{ token, method: 'PUT', body: { title: 'T', members: [user] } },
  });
  const { id: collection } = await make();
  const inside = [await makeSpace({ parent: collection }), await makeSpace({ parent: collection })];
  const [gone] = inside;
  const giveRole = async (space: string | undefined, role: string | null) => {
    const response = await request(`/v1/spaces/${space}/permissions`, {
      ...{ token, body: { users: [user], teams: [team.id], role } },
    });
    expect(response.status).toBe(204);
  };
  const countRows = () => [
    query<{ spaces: number }>('SELECT spaces FROM members WHERE organization = ? AND user = ?', organizationId, user),
    query<{ spaces: number }>('SELECT spaces FROM teams WHERE id = ?', team.id),
  ];
  const toExpectedCounts = (spaces: number) => [[{ spaces }], [{ spaces }]];
  for (const { id } of [...inside, await makeSpace()]) await giveRole(id, 'read');
  await giveRole(inside[1]?.id, null);
  expect(countRows()).toEqual(toExpectedCounts(2));

  await remove(collection);

  expect(countRows()).toEqual(toExpectedCounts(1));
  const listed = await json<{ count: number }>(`/v1/orgs/${organizationId}/members/${user}/spaces?limit=1000`, {
    token,
  });
  expect(listed.count).toBe(1);
  expect(query('SELECT role FROM grants WHERE object = ? AND subject = ?', gone?.id ?? '', user)).toEqual([
    { role: 'read' },
  ]);
});

test('returns 404 for every request to a deleted collection', async () => {
  const organization = await platform().makeOrganization();
  const other = await getCollections(organization).make();
  const target = await platform().makeOrganization();
  const { make, remove, patch, move, transfer, status, makeSpace } = getCollections(organization);
  const { id } = await make();
  await remove(id);

  expect(await status(`/v1/collections/${id}`)).toBe(404);
  expect(await status(`/v1/collections/${id}/spaces`)).toBe(404);
  for (const response of [
    await remove(id),
    await patch(id, { title: 'x' }),
    await move(id, { parent: other.id }),
    await transfer(id, target.id),
    await move(other.id, { parent: id }),
  ]) {
    expect(response.status).toBe(404);
  }
  await expect(make({ parent: id })).rejects.toThrow('404');
  await expect(makeSpace({ parent: id })).rejects.toThrow('404');
  const pointed = await move(other.id, { position: { before: { type: 'collection', collection: id } } });
  expect(pointed.status).toBe(400);
});

test('trashed spaces keep the levels of their former parents, so their readers keep access', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { make, makeSpace, patch, remove } = getCollections(organization);
  const outer = await make();
  const inner = await make({ parent: outer.id });
  const { id } = await makeSpace({ parent: inner.id });
  await patch(outer.id, { defaultLevel: 'create' });
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const before = await json<{ permissions: object }>(`/v1/spaces/${id}`, reader);
  expect(before).toMatchObject({ permissions: { admin: true } });
  await patch(inner.id, { defaultLevel: 'review' });
  await remove(outer.id);

  for (const { token } of [reader, creator]) expect((await request(`/v1/spaces/${id}`, { token })).status).toBe(404);
  expect(await json(`/v1/spaces/${id}`, organization)).toMatchObject({ permissions: { view: true, admin: true } });
});

test('spaces already in the trash keep their deletion time', async () => {
  const { make, makeSpace, remove, space } = getCollections(await platform().makeOrganization());
  const outer = await make();
  const inner = await make({ parent: outer.id });
  const [first, second] = [await makeSpace({ parent: inner.id }), await makeSpace({ parent: outer.id })];
  await remove(inner.id);
  const { deletedAt = '' } = await space(first.id);
  const before = query('SELECT deleted_at FROM collections WHERE id = ?', inner.id);

  await remove(outer.id);

  expect(await space(first.id)).toMatchObject({ deletedAt });
  expect(query('SELECT deleted_at FROM collections WHERE id = ?', inner.id)).toEqual(before);
  expect((await space(second.id)).deletedAt).not.toBeUndefined();
});

test('deletes many collections in as many round trips as one, and records one event', async () => {
  const { make, makeSpace, remove } = getCollections(await platform().makeOrganization());
  const [few, many] = [await make(), await make()];
  let parent = many.id;
  for (let level = 0; level < 10; level += 1) {
    for (let count = 0; count < 3; count += 1) await makeSpace({ parent });
    parent = (await make({ parent })).id;
  }

  const [one, other] = [await remove(few.id), await remove(many.id)];

  expect(getCost(other).trips).toBe(getCost(one).trips);
  expect(
    query(
      "SELECT COUNT(*) AS n FROM outbox WHERE type = 'collection.deleted' AND data->>'collection' IN (?, ?)",
      few.id,
      many.id,
    ),
  ).toEqual([{ n: 2 }]);
});

test('is refused for users without access and for reviewers', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const { make, get } = getCollections(organization);
  const { id } = await make();
  const reviewer = await makeUser({ organization: organization.id, role: 'review' });

  expect((await getCollections(await makeOrganization()).remove(id)).status).toBe(404);
  expect((await getCollections({ id: '', token: reviewer.token }).remove(id)).status).toBe(403);
  expect(await get(id)).toMatchObject({ id });
});
