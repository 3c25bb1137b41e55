import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge, searchSpace } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';
import { getCollections, getCost, getIds } from './collection-client.ts';

const getIndexingJobs = (space: string): number =>
  query("SELECT id FROM outbox WHERE type = 'index_space' AND space = ?", space).length;

/** Makes two organizations with the same admin. */
async function makeTwoOrganizations() {
  const { makeOrganization, request } = platform();
  const from = await makeOrganization();
  const response = await request('/v1/orgs', { token: from.token, body: { title: 'The other' } });
  const to = { ...from, id: ((await response.json()) as { id: string }).id };
  return { from, to, old: getCollections(from), young: getCollections(to) };
}

test('moves the collection with everything in it to the top level of another organization', async () => {
  const { from, to, old, young } = await makeTwoOrganizations();
  const around = await old.make();
  const outer = await old.make({ title: 'Outer', parent: around.id });
  const inner = await old.make({ parent: outer.id });
  const gone = await old.make({ parent: inner.id });
  const lost = await old.makeSpace({ parent: gone.id });
  await old.remove(gone.id);
  const space = await old.makeSpace({ parent: inner.id });
  const stays = await old.makeSpace({ parent: around.id });

  const response = await old.transfer(outer.id, to.id);

  expect(response.status).toBe(200);
  const moved = await response.json();
  expect(moved).toEqual(await young.get(outer.id));
  expect(moved).toMatchObject({ title: 'Outer', organization: to.id, permissions: { admin: true } });
  expect(moved).not.toHaveProperty('parent');
  expect(getIds(await old.list())).toEqual([around.id]);
  expect(getIds(await old.spaces())).toEqual([stays.id]);
  expect(getIds(await young.list())).toEqual(getIds([outer, inner]));
  expect(getIds(await young.spaces())).toEqual([space.id]);
  expect(await young.space(lost.id)).toMatchObject({ organization: to.id, deletedAt: expect.any(String) });
  expect(query('SELECT organization FROM collections WHERE id = ?', gone.id)).toEqual([{ organization: to.id }]);
  expect(
    query(
      "SELECT organization FROM outbox WHERE type = 'collection.transferred' AND data = ? ORDER BY organization = ?",
      ...[JSON.stringify({ collection: outer.id, from: from.id }), to.id],
    ),
  ).toEqual([{ organization: from.id }, { organization: to.id }]);
});

test('transferred content can still be read, edited, merged and found', async () => {
  const { from, to, old, young } = await makeTwoOrganizations();
  const { id: parent } = await old.make();
  const { id } = await old.makeSpace({ parent: (await old.make({ parent })).id });
  const other = await young.makeSpace();
  const space = { id, token: from.token };
  const page = await makePage(space, 'Otters', 'One.\n\nTwo.\n\nThree otters.\n');
  const before = await makeChangeRequest(space);
  const write = (markdown: string) => [{ operation: 'update_page', page, document: { markdown } }];
  await edit(space, write('One.\n\nTwo.\n\nFour otters.\n'), before.id);
  const same = await makeChangeRequest(space);
  const readText = () => json<{ markdown: string }>(`/v1/spaces/${id}/content/page/${page}?format=markdown`, space);

  expect((await old.transfer(parent, to.id)).status).toBe(200);

  expect((await readText()).markdown).toBe('One.\n\nTwo.\n\nThree otters.\n');
  await edit(space, write('One.\n\nTwo.\n\nThree otters.\n'), same.id);
  await edit(space, write('Zero.\n\nTwo.\n\nThree otters.\n'));
  for (const { id: changeRequest } of [before, same]) {
    expect(await (await merge(space, changeRequest)).json()).toMatchObject({ result: 'merge' });
  }
  expect((await readText()).markdown).toBe('Zero.\n\nTwo.\n\nFour otters.\n');
  await until(async () => {
    const searchResult = await searchSpace(space, 'otters');
    return searchResult.items[0]?.sections?.[0]?.body.includes('Four') || undefined;
  });
  const found = await searchOrganization({ id: to.id, token: from.token }, 'otters');
  expect(found.items.map((each) => each.id)).toEqual([id]);
  expect(getIndexingJobs(id)).toBe(1);
  expect(getIndexingJobs(other.id)).toBe(0);
  expect(await json(`/v1/spaces/${id}`, space)).toMatchObject({ organization: to.id });
});

test("rejects the collection's own organization", async () => {
  const { from, old } = await makeTwoOrganizations();
  const { id } = await old.make();

  const response = await old.transfer(id, from.id);

  expect(response.status).toBe(409);
});

test('requires admin on the collection and create in the target', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const { from, to, old } = await makeTwoOrganizations();
  const { id } = await old.make();
  const foreign = await makeOrganization();
  const creator = await makeUser({ organization: from.id, role: 'create' });
  const readStatus = async (token: string, organization: string) =>
    (await request(`/v1/collections/${id}/transfer`, { token, body: { organization } })).status;
  const { email } = await json<{ email: string }>('/v1/user', creator);

  expect(await readStatus(from.token, foreign.id)).toBe(404);
  expect(await readStatus(foreign.token, foreign.id)).toBe(404);
  expect(await readStatus(creator.token, to.id)).toBe(404);
  expect(email).toContain('@');
  const reviewer = await makeUser({ organization: from.id, role: 'review' });
  expect(await readStatus(reviewer.token, to.id)).toBe(403);
  expect((await request(`/v1/collections/${id}/transfer`, { token: from.token, body: {} })).status).toBe(400);
  expect(await old.get(id)).toMatchObject({ organization: from.id });
});

test('members of the old organization lose access, members of the new one get it by their roles', async () => {
  const { makeUser, request } = platform();
  const { from, to, old } = await makeTwoOrganizations();
  const { id: parent } = await old.make();
  const { id } = await old.makeSpace({ parent });
  const before = await makeUser({ organization: from.id, role: 'create' });
  const after = await makeUser({ organization: to.id, role: 'read' });
  const readStatus = async (token: string) =>
    Promise.all(
      [`/v1/collections/${parent}`, `/v1/spaces/${id}`].map(async (path) => (await request(path, { token })).status),
    );
  expect([await readStatus(before.token), await readStatus(after.token)]).toEqual([
    [200, 200],
    [404, 404],
  ]);

  await old.transfer(parent, to.id);

  expect([await readStatus(before.token), await readStatus(after.token)]).toEqual([
    [404, 404],
    [200, 200],
  ]);
});

test('takes the same number of round trips for nested collections as for an empty one', async () => {
  const { to, old } = await makeTwoOrganizations();
  const [few, many] = [await old.make(), await old.make()];
  for (let count = 0; count < 10; count += 1) await old.makeSpace({ parent: (await old.make({ parent: many.id })).id });

  const [one, other] = [await old.transfer(few.id, to.id), await old.transfer(many.id, to.id)];

  expect(getCost(other).trips).toBe(getCost(one).trips);
});
