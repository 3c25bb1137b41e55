import { expect, test } from 'vitest';
import { getLifecycles } from '../../content/spaces/space-life.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { Place, ShownComment } from './comment-client.ts';
import {
  call,
  callJson,
  countComments,
  createCommentTarget,
  createText,
  makeCommentTarget,
  makeReader,
  post,
  put,
} from './comment-client.ts';

/**
 * Makes two comments on live content and two on a change request, one of them resolved, with a reply and a reaction by
 * another user.
 */
async function createDiscussions(): Promise<{ places: Place[]; other: { user: string; token: string } }> {
  const live = await createCommentTarget('live content');
  const places = [live, await makeCommentTarget('a change request', live)];
  const other = await makeReader(live, 'comment');
  for (const place of places) {
    await post(place, other);
    const { id } = await post(place);
    await put(`${place.path}/${id}`, other, { resolved: true, addedReactions: ['👍'] });
    await callJson(`${place.path}/${id}/replies`, other, { method: 'POST', body: createText('Yes') });
  }
  return { places, other };
}

const list = (place: Place, by: { token: string } = place.space) =>
  callJson<{ items: ShownComment[] }>(place.path, by).then(({ items }) => items);

test('a space in the trash rejects new comments, but keeps existing ones', async () => {
  const { places, other } = await createDiscussions();
  const before = await Promise.all(places.map((place) => list(place)));
  const [{ organization, space }] = places as [Place, Place];
  const lives = getLifecycles(organization);
  expect((await lives.remove(space.id)).status).toBe(205);
  for (const [index, place] of places.entries()) {
    const address = `${place.path}/${before[index]?.[0]?.id}`;
    for (const [at, method] of [
      [place.path, 'GET'],
      [place.path, 'POST'],
      [address, 'GET'],
      [address, 'PUT'],
      [address, 'DELETE'],
      [`${address}/replies`, 'POST'],
    ] as const)
      expect([
        method,
        (await call(at, other, { method, ...(method === 'POST' ? { body: createText('x') } : {}) })).status,
      ]).toEqual([method, 404]);
  }
  expect((await lives.restore(space.id)).status).toBeLessThan(300);
  expect(await Promise.all(places.map((place) => list(place)))).toEqual(before);
  for (const place of places) expect(await countComments(place)).toEqual({ shown: 1, open: 1 });
});

test('comments move with a space to another organization, but their authors get no rights there', async () => {
  const { places, other } = await createDiscussions();
  const [{ organization, space }] = places as [Place, Place];
  const to = await json<{ id: string }>('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
  const member = await platform().makeUser({ organization: to.id, role: 'comment' });
  const before = await Promise.all(places.map((place) => list(place)));
  expect((await getLifecycles(organization).transfer(space.id, to.id)).status).toBe(200);

  for (const [index, place] of places.entries()) {
    expect((await list(place, member)).map(({ id }) => id)).toEqual(before[index]?.map(({ id }) => id));
    expect(await countComments(place)).toEqual({ shown: 1, open: 1 });
    const address = `${place.path}/${before[index]?.[1]?.id}`;
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect([method, (await call(address, other, { method })).status]).toEqual([method, 404]);
    expect((await call(place.path, member, { method: 'POST', body: createText(`@${other.user}`) })).status).toBe(400);
    expect((await call(place.path, member, { method: 'POST', body: createText(`@${organization.user}`) })).status).toBe(
      200,
    );
    const { items } = await callJson<{ items: { id: string }[] }>(
      place.path.replace(/comments$/, 'commenters'),
      member,
    );
    expect(items.map(({ id }) => id).sort()).toEqual([organization.user, member.user].sort());
  }
});

test('reactions and comments of former members are kept and counted', async () => {
  const { places, other } = await createDiscussions();
  const [{ organization }] = places as [Place, Place];
  expect(
    (await call(`/v1/orgs/${organization.id}/members/${other.user}`, organization, { method: 'DELETE' })).status,
  ).toBe(204);
  for (const place of places) {
    const [resolved, open] = await list(place);
    expect(resolved?.reactions).toMatchObject([{ emoji: '👍', count: 1, users: [{ user: { id: other.user } }] }]);
    expect(resolved).toMatchObject({ replies: 1, resolvedBy: { id: other.user } });
    expect(open?.postedBy.id).toBe(other.user);
    const { items } = await callJson<{ items: { id: string }[] }>(
      place.path.replace(/comments$/, 'commenters'),
      place.space,
    );
    expect(items.map(({ id }) => id)).toEqual([organization.user]);
    for (const { id } of [resolved, open] as ShownComment[])
      await call(`${place.path}/${id}`, place.space, { method: 'DELETE' });
    expect(await countComments(place)).toEqual({ shown: 0, open: 0 });
  }
  expect(query('SELECT 1 FROM reactions WHERE space = ?', places[0]?.space.id ?? '')).toEqual([]);
  expect(query("SELECT 1 FROM contributors WHERE space = ? AND action = 'comment'", places[0]?.space.id ?? '')).toEqual(
    [],
  );
});
