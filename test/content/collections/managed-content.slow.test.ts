import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

type World = Awaited<ReturnType<typeof makeManagedContent>>;

/** Makes nested collections in an organization, and a creator there who also has a separate organization. */
async function makeManagedContent() {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const own = await json<{ id: string }>('/v1/orgs', { token: creator.token, body: { title: 'Own' } });
  const admin = getCollections(organization);
  const outer = await admin.make({ title: 'Outer' });
  const inner = await admin.make({ title: 'Inner', parent: outer.id });
  const giveRole = (path: string, role: string | null, user = creator.user) =>
    request(`/v1/${path}/permissions`, { token: organization.token, body: { users: [user], role } });
  const setDefaultLevel = (path: string, defaultLevel: string | null) =>
    request(`/v1/${path}`, { token: organization.token, method: 'PATCH', body: { defaultLevel } });
  const byCreator = getCollections({ id: organization.id, token: creator.token });
  return { organization, creator, own, admin, byCreator, outer, inner, give: giveRole, level: setDefaultLevel };
}

const ways: [string, (all: World) => Promise<Response>][] = [
  ['transfer', ({ byCreator, outer, own }) => byCreator.transfer(outer.id, own.id)],
  ['delete', ({ byCreator, outer }) => byCreator.remove(outer.id)],
];

const contents: [string, (all: World) => Promise<unknown>][] = [
  [
    'a space that is hidden from everyone',
    async ({ admin, inner, level }) =>
      level(`spaces/${(await admin.makeSpace({ title: 'Secret', parent: inner.id })).id}`, 'none'),
  ],
  [
    'a space that the caller has no access to',
    async ({ admin, outer, give }) => give(`spaces/${(await admin.makeSpace({ parent: outer.id })).id}`, null),
  ],
  [
    'a space that the caller may review',
    async ({ admin, outer, level }) => level(`spaces/${(await admin.makeSpace({ parent: outer.id })).id}`, 'review'),
  ],
  [
    'a space in a hidden collection',
    async ({ admin, inner, level }) => {
      await admin.makeSpace({ parent: inner.id });
      return level(`collections/${inner.id}`, 'none');
    },
  ],
  ['an empty collection that the caller can only read', ({ inner, give }) => give(`collections/${inner.id}`, 'read')],
];

const getState = (organization: string) =>
  query(
    `SELECT id, organization, deleted_at FROM collections WHERE organization = ?1
    UNION ALL SELECT id, organization, deleted_at FROM spaces WHERE organization = ?1 ORDER BY id`,
    organization,
  );

describe.each(ways)('a %s by a user with create rights', (way, act) => {
  test.each(contents)('is rejected for %s, with an error that names no content', async (_, prepare) => {
    const all = await makeManagedContent();
    await prepare(all);
    const before = getState(all.organization.id);

    const response = await act(all);

    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'precondition_failed',
        message: 'The collection contains content that you do not manage.',
      },
    });
    expect(getState(all.organization.id)).toEqual(before);
  });

  test('succeeds for content that the creator manages, even if it is hidden or shared with others', async () => {
    const all = await makeManagedContent();
    const { admin, byCreator, inner, level, give, organization } = all;
    const opened = await admin.makeSpace({ parent: inner.id });
    await level(`spaces/${opened.id}`, 'none');
    await give(`spaces/${opened.id}`, 'create');
    const hidden = await byCreator.makeSpace({ parent: inner.id });
    await level(`spaces/${hidden.id}`, 'none');
    const shared = await admin.makeSpace({ parent: inner.id });
    const reader = await platform().makeUser({ organization: organization.id, role: 'read' });
    await give(`spaces/${shared.id}`, 'edit', reader.user);

    expect((await act(all)).status).toBe(way === 'delete' ? 205 : 200);
  });

  test('ignores hidden content outside the collection', async () => {
    const all = await makeManagedContent();
    const { admin, level } = all;
    const beside = await admin.make();
    await admin.makeSpace({ parent: beside.id });
    await level(`collections/${beside.id}`, 'none');
    await level(`spaces/${(await admin.makeSpace()).id}`, 'none');

    expect((await act(all)).status).toBe(way === 'delete' ? 205 : 200);
  });
});

test('hidden content in the trash prevents a transfer, and a delete does not change it', async () => {
  const all = await makeManagedContent();
  const { admin, inner, outer, level, byCreator, own } = all;
  const space = await admin.makeSpace({ parent: inner.id });
  await level(`spaces/${space.id}`, 'none');
  await admin.remove(inner.id);
  const { deletedAt } = await admin.space(space.id);

  expect((await byCreator.transfer(outer.id, own.id)).status).toBe(412);
  expect((await byCreator.remove(outer.id)).status).toBe(205);
  expect(await admin.space(space.id)).toMatchObject({ organization: all.organization.id, deletedAt });
});

test('an admin of the organization can transfer and delete everything', async () => {
  const { admin, inner, outer, level, organization } = await makeManagedContent();
  const space = await admin.makeSpace({ parent: inner.id });
  await level(`spaces/${space.id}`, 'none');
  const to = await json<{ id: string }>('/v1/orgs', { token: organization.token, body: { title: 'To' } });

  expect((await admin.transfer(outer.id, to.id)).status).toBe(200);
  expect((await admin.remove(outer.id)).status).toBe(205);
});

test('if one request hides a collection while another transfers or deletes it, only one of them succeeds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { admin, byCreator, inner, outer, own } = await makeManagedContent();
    const removeOrTransfer = () =>
      round % 2 === 0 ? byCreator.remove(outer.id) : byCreator.transfer(outer.id, own.id);

    const [hidden, response] = await Promise.all([admin.patch(inner.id, { defaultLevel: 'none' }), removeOrTransfer()]);

    expect([
      [200, 412],
      [404, round % 2 === 0 ? 205 : 200],
    ]).toContainEqual([hidden.status, response.status]);
  }
});
