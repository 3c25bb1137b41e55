import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import type { TestItem } from './collection-client.ts';
import { getCollections, getIds, listTitles } from './collection-client.ts';

test('returns each collection equal to its single read, with siblings in order', async () => {
  const { makeOrganization } = platform();
  const { make, move, list, get } = getCollections(await makeOrganization());
  await getCollections(await makeOrganization()).make();
  const [one, two] = [await make({ title: 'One' }), await make({ title: 'Two' })];
  const inner = [];
  for (const title of ['A', 'B', 'C']) inner.push(await make({ title, parent: one.id }));
  await move(inner[2]?.id ?? '');

  const items = await list();

  expect(listTitles(items)).toEqual(['Two', 'One']);
  expect(listTitles(items, one.id)).toEqual(['B', 'A', 'C']);
  for (const item of items) expect(item).toEqual(await get(item.id));
  expect(getIds(await list('nested=true&'))).toEqual(getIds(items));
  expect((await list('nested=false&')).map(({ id }) => id)).toEqual([two.id, one.id]);
});

test.each(['nested=1', 'nested=', 'nested=TRUE', 'nested=true&nested=false'])('rejects %s', async (query) => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();

  expect((await request(`/v1/orgs/${id}/collections?${query}`, { token })).status).toBe(400);
});

test.each(['', '?nested=false'])('paginates by cursor%s, also if some are hidden from the caller', async (query) => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const { make, patch } = getCollections(organization);
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  for (const defaultLevel of [null, 'none', 'read', 'none', null, 'edit']) {
    const { id } = await make();
    await patch(id, { defaultLevel });
    await make({ parent: id });
  }

  await expectPaging(`/v1/orgs/${organization.id}/collections${query}`, reader.token, () => make());
});

test('lists collections with visible content, but not their hidden siblings', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const { make, makeSpace, patch } = getCollections(organization);
  const [shown, hidden] = [await make({ title: 'Shown' }), await make({ title: 'Hidden' })];
  for (const { id } of [shown, hidden]) await patch(id, { defaultLevel: 'none' });
  const below = await make({ parent: shown.id });
  const beside = await make({ parent: shown.id });
  const open = await makeSpace({ parent: below.id });
  const shut = await makeSpace({ parent: below.id });
  await makeSpace({ parent: hidden.id });
  const body = { defaultLevel: 'read' };
  await json(`/v1/spaces/${open.id}`, { token: organization.token, method: 'PATCH', body });
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const seen = getCollections({ id: organization.id, token: reader.token });

  expect(getIds(await seen.list())).toEqual(getIds([shown, below]));
  expect(getIds(await seen.list('nested=false&'))).toEqual([shown.id]);
  for (const item of await seen.list()) {
    expect(item.permissions).toEqual({ view: true, admin: false, viewInviteLinks: false, create: false });
    expect(await json<TestItem>(`/v1/collections/${item.id}`, reader)).toEqual(item);
  }
  expect(getIds(await seen.spacesIn(below.id))).toEqual([open.id]);
  expect(getIds(await seen.spaces())).toEqual([open.id]);
  for (const { id } of [hidden, beside]) {
    expect((await request(`/v1/collections/${id}`, { token: reader.token })).status).toBe(404);
  }
  expect((await request(`/v1/spaces/${shut.id}`, { token: reader.token })).status).toBe(404);
  const response = await request(`/v1/collections/${shown.id}`, { token: reader.token, method: 'DELETE' });
  expect(response.status).toBe(403);
});
