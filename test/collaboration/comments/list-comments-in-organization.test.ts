import { beforeAll, expect, test } from 'vitest';
import { expectSameCost, readWithCost } from '../../support/at-size.ts';
import { makePage } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { expectPaging, walk } from '../../support/paging.ts';
import type { TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { Place, ShownComment } from './comment-client.ts';
import {
  call,
  callJson,
  createCommentTarget,
  createText,
  makeCommentTarget,
  makeGuest,
  makeReader,
  post,
  put,
} from './comment-client.ts';

interface Listed extends ShownComment {
  space: { id: string; title: string };
  changeRequest?: { id: string; number: number; subject: string };
}

const server = platform({ countsRows: true });
let live: Place;
let proposed: Place;
let path: string;
let other: TestUser;

const list = async (by: { token: string }, search = '') =>
  (await callJson<{ items: Listed[] }>(`${path}?${search}`, by)).items;

const listIds = async (by: { token: string }, search = '') => (await list(by, search)).map(({ id }) => id);

beforeAll(async () => {
  live = await createCommentTarget('live content', server);
  const space = await server.makeSpace({ organization: live.organization, title: 'Another' });
  proposed = await makeCommentTarget('a change request', { organization: live.organization, space }, server);
  path = `/v1/orgs/${live.organization.id}/comments`;
  other = await makeReader(live, 'comment');
});

test('lists comments of all spaces with their space and change request, the newest first', async () => {
  const page = await makePage(live.space, 'Guide', 'Text.\n');
  const first = await post(live, other, { page, ...createText('On a page') });
  const second = await post(proposed);

  const [newest, oldest] = await list(live.organization);
  expect(newest).toMatchObject({ id: second.id, space: { id: proposed.space.id, title: 'Another' } });
  expect(newest?.changeRequest).toEqual({ id: proposed.changeRequest, number: 1, subject: 'A' });
  expect(oldest?.target).toEqual({
    space: live.space.id,
    revision: expect.any(String),
    page: expect.objectContaining({ id: page, title: 'Guide', path: 'guide' }),
  });
  expect(oldest?.target.page).not.toHaveProperty('outdated');
  const { target, space, ...comment } = oldest ?? ({} as Listed);
  expect(space.id).toBe(live.space.id);
  const { target: currentTarget, ...single } = await callJson(`${live.path}/${first.id}`, live.organization);
  expect(comment).toEqual(single);
  expect(currentTarget.page).toMatchObject({ ...target.page, outdated: false });
  expect(await listIds(live.organization, 'order=asc')).toEqual([first.id, second.id]);
});

test('filters by status, author and mention', async () => {
  const mentioning = await post(live, live.organization, createText(`Look, @${other.user}!`));
  const resolved = await post(proposed, other);
  await put(`${proposed.path}/${resolved.id}`, other, { resolved: true });

  const all = await listIds(live.organization);
  expect(await listIds(live.organization, 'status=resolved')).toEqual([resolved.id]);
  expect(await listIds(live.organization, 'status=open')).toEqual(all.filter((id) => id !== resolved.id));
  expect(await listIds(live.organization, `mention=${other.user}`)).toEqual([mentioning.id]);
  const byOther = await list(live.organization, `authors=${other.user}`);
  expect(byOther.map(({ id }) => id)).toContain(resolved.id);
  expect(new Set(byOther.map(({ postedBy }) => postedBy.id))).toEqual(new Set([other.user]));
});

test('lists only comments in spaces that the caller may open', async () => {
  const hidden = await server.makeSpace({ organization: live.organization });
  const place = await makeCommentTarget('live content', { organization: live.organization, space: hidden }, server);
  const { id } = await post(place);
  await callJson(`/v1/spaces/${hidden.id}`, hidden, { method: 'PATCH', body: { defaultLevel: 'none' } });
  const guest = await makeGuest(live, 'read');
  const stranger = await server.makeUser();

  expect(await listIds(live.organization)).toContain(id);
  expect(await listIds(other)).not.toContain(id);
  const seen = await list(guest);
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen.map(({ space }) => space.id))).toEqual(new Set([live.space.id]));
  for (const { permissions } of seen) expect(permissions).toMatchObject({ view: true, reply: false });
  expect((await call(path, stranger)).status).toBe(404);

  await server.request(`/v1/spaces/${hidden.id}`, { token: hidden.token, method: 'DELETE' });
  expect(await listIds(live.organization)).not.toContain(id);
});

test('can be paged', async () => {
  await expectPaging(path, live.organization.token, () => post(live), server);
});

test('follows the space to another organization', async () => {
  const place = await createCommentTarget('live content', server);
  const { token } = place.organization;
  const { id } = await post(place);
  const to = await callJson<{ id: string }>('/v1/orgs', { token }, { method: 'POST', body: { title: 'The other' } });
  await callJson(`/v1/spaces/${place.space.id}/transfer`, { token }, { method: 'POST', body: { organization: to.id } });

  expect(await walk(`/v1/orgs/${to.id}/comments`, token, { server })).toEqual([id]);
  expect(await walk(`/v1/orgs/${place.organization.id}/comments`, token, { server })).toEqual([]);
});

test('a comment of the previous release gets its organization', async () => {
  const place = await createCommentTarget('live content', server);
  const { id } = await post(place);
  await writeDatabase(
    server,
    `INSERT INTO comments (id, space, branch, revision, author, body, created_at)
      SELECT 'former_' || id, space, branch, revision, author, body, created_at + 1 FROM comments WHERE id = ?`,
    id,
  );

  const { id: organization, token } = place.organization;
  expect(await walk(`/v1/orgs/${organization}/comments`, token, { server })).toEqual([`former_${id}`, id]);
});

/** Writes comments directly to the database. Every second one is resolved, and every fifth one mentions a user. */
const insertComments = (space: TestSpace, count: number, time: number) =>
  writeDatabase(
    server,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
      INSERT INTO comments (id, space, branch, revision, author, body, created_at, resolved_at)
      SELECT 'com_' || ?2 || n, ?2, ?2, '', (SELECT created_by FROM spaces WHERE id = ?2),
        CASE WHEN n % 5 = 0 THEN '@usr_mentioned' ELSE 'Text' END, ?3 + n, CASE WHEN n % 2 = 0 THEN n END FROM n`,
    ...[count, space.id, time],
  );

interface Restricted {
  path: string;
  user: TestUser;
  hidden: TestSpace;
}

/** Makes a user who may open some spaces with 300 comments each, and a space with newer comments that is hidden. */
async function makeRestrictedUser(kind: 'member' | 'guest', hiddenComments: number): Promise<Restricted> {
  const place = await createCommentTarget('live content', server);
  const { organization, space } = place;
  const [another, hidden] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  await callJson(`/v1/spaces/${hidden.id}`, hidden, { method: 'PATCH', body: { defaultLevel: 'none' } });
  await insertComments(space, 300, 1000);
  await insertComments(another, 300, 1000);
  await insertComments(hidden, hiddenComments, 10_000);
  const user = kind === 'guest' ? await makeGuest(place, 'read') : await makeReader(place, 'read');
  return { path: `/v1/orgs/${organization.id}/comments`, user, hidden };
}

test.each([
  ['member', 600],
  ['guest', 300],
] as const)('for a %s, the cost does not depend on the comments in spaces that stay hidden', async (kind, visible) => {
  const [few, many] = [await makeRestrictedUser(kind, 300), await makeRestrictedUser(kind, 6000)];
  for (const search of ['', '&status=open', '&status=resolved', '&mention=usr_mentioned']) {
    const costs = [];
    for (const { path, user, hidden } of [few, many]) {
      const address = `${path}?limit=20${search}`;
      const { body, cost } = await readWithCost<{ items: Listed[] }>(server, address, user.token);
      const times = body.items.map(({ postedAt }) => postedAt);
      expect([times.length, times]).toEqual([20, times.toSorted().reverse()]);
      expect(body.items.map(({ space }) => space.id)).not.toContain(hidden.id);
      costs.push(cost);
    }
    expectSameCost(costs);
  }
  for (const order of ['asc', 'desc']) {
    const ids = await walk(`${many.path}?order=${order}`, many.user.token, { server, limit: 50 });
    expect([ids.length, new Set(ids).size]).toEqual([visible, visible]);
  }
});

test('costs the same with more comments and spaces', async () => {
  const read = async () => (await call(`${path}?limit=2`, live.organization)).cost;
  for (let count = 0; count < 6; count += 1) await post(live);
  const before = await read();
  for (let count = 0; count < 10; count += 1) await server.makeSpace({ organization: live.organization });
  for (let count = 0; count < 10; count += 1) await post(live, other);
  for (let count = 0; count < 6; count += 1) await post(live);

  expect(await read()).toEqual(before);
  expect(before.trips).toBe(2);
});
