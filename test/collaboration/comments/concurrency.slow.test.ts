import { expect, test } from 'vitest';
import { makePage } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import type { ShownComment } from './comment-client.ts';
import {
  call,
  callJson,
  countComments,
  createText,
  makeCommentTarget,
  makeReader,
  post,
  prefixes,
  put,
} from './comment-client.ts';

/** Total number of calls. A fifth are comments and a fifth are replies. */
const calls = isOfAll ? 200 : 50;

const runConcurrently = <Value>(count: number, act: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

test.each(prefixes)(
  `${calls} concurrent comments, reactions and resolutions on a page of %s keep exact counters`,
  async (prefix) => {
    const organization = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization });
    const page = await makePage(space, 'Busy', 'Words.\n');
    const place = await makeCommentTarget(prefix, { organization, space });
    const people = await runConcurrently(5, () => makeReader(place, 'comment'));
    const getPerson = (index: number) => people[index % people.length] ?? organization;
    const first = await runConcurrently(10, (index) => post(place, getPerson(index), { ...createText('First'), page }));
    const getCommentPath = (index: number) => `${place.path}/${first[index % 10]?.id}`;

    const responses = await runConcurrently(calls, async (index) => {
      const send = (address: string, body: object, method: string) => call(address, getPerson(index), { method, body });
      switch (index % 5) {
        case 0:
          return send(place.path, { ...createText('More'), page }, 'POST');
        case 1:
          return send(getCommentPath(index), { addedReactions: ['👍'], removedReactions: ['🎉'] }, 'PUT');
        case 2:
          return send(getCommentPath(index), { resolved: index % 2 === 0 }, 'PUT');
        case 3:
          return send(`${getCommentPath(index)}/replies`, createText('A reply'), 'POST');
        default:
          return send(getCommentPath(0), { addedReactions: ['1f44d', '🎉'] }, 'PUT');
      }
    });
    expect(responses.map(({ status }) => status)).toEqual(Array(calls).fill(200));

    const { items } = await callJson<{ items: ShownComment[] }>(`${place.path}?targetPage=${page}&limit=1000`, space);
    expect(items).toHaveLength(10 + calls / 5);
    const open = items.filter(({ status }) => status === 'open').length;
    expect(await countComments(place)).toEqual({ shown: open, open });
    expect(items.reduce((sum, { replies }) => sum + replies, 0)).toBe(calls / 5);
    for (const { reactions } of items)
      for (const { count, users } of reactions) expect(count).toBe(new Set(users.map(({ user }) => user.id)).size);
    const commenters = query<{ user: string; count: number }>(
      "SELECT user, count FROM contributors WHERE branch = ? AND action = 'comment'",
      place.changeRequest ?? space.id,
    );
    expect(commenters.reduce((sum, { count }) => sum + count, 0)).toBe(10 + (2 * calls) / 5);

    await runConcurrently(items.length, (index) =>
      call(`${place.path}/${items[index]?.id}`, organization, { method: 'DELETE' }),
    );
    expect(await countComments(place)).toEqual({ shown: 0, open: 0 });
    expect(query("SELECT 1 FROM contributors WHERE space = ? AND action = 'comment'", space.id)).toEqual([]);
    expect(query('SELECT 1 FROM reactions WHERE space = ?', space.id)).toEqual([]);
  },
);

test('a reply is never left without its comment after a concurrent delete', async () => {
  const place = await makeCommentTarget('live content', await makeOrganizationAndSpace());
  const comments = await runConcurrently(10, () => post(place));
  await Promise.all(
    comments.flatMap(({ id }) => [
      call(`${place.path}/${id}/replies`, place.space, { method: 'POST', body: createText('Late') }),
      put(`${place.path}/${id}`, place.space, { addedReactions: ['👍'] }),
      call(`${place.path}/${id}`, place.space, { method: 'DELETE' }),
    ]),
  );
  for (const table of ['comment_replies', 'reactions'])
    expect(query(`SELECT 1 FROM ${table} WHERE space = ?`, place.space.id)).toEqual([]);
  expect(query("SELECT 1 FROM contributors WHERE branch = ? AND action = 'comment'", place.space.id)).toEqual([]);
});

test('a reaction is deleted with a reply or comment that is deleted concurrently', async () => {
  const place = await makeCommentTarget('live content', await makeOrganizationAndSpace());
  const replies = await runConcurrently(15, async () => {
    const address = `${place.path}/${(await post(place)).id}`;
    const { id } = await callJson(`${address}/replies`, place.space, { method: 'POST', body: createText('Yes') });
    return { comment: address, reply: `${address}/replies/${id}` };
  });
  const responses = await Promise.all(
    replies.flatMap((addresses, index) => {
      const gone = index % 3 === 0 ? addresses.comment : addresses.reply;
      const reacted = index % 3 === 1 ? addresses.comment : addresses.reply;
      const addReaction = () => put(reacted, place.space, { addedReactions: ['👍'] });
      return [addReaction(), call(gone, place.space, { method: 'DELETE' }), addReaction()];
    }),
  );
  for (const { status } of responses) expect([200, 205, 404]).toContain(status);
  expect(
    query(
      `SELECT object FROM reactions WHERE space = ? AND object NOT IN
        (SELECT id FROM comments UNION ALL SELECT id FROM comment_replies)`,
      place.space.id,
    ),
  ).toEqual([]);
  expect(await countComments(place)).toEqual({ shown: 10, open: 10 });
});

test('only the first of many concurrent resolutions is stored, with its user', async () => {
  const place = await makeCommentTarget('live content', await makeOrganizationAndSpace());
  const people = await runConcurrently(8, () => makeReader(place, 'comment'));
  for (let round = 0; round < 3; round += 1) {
    const { id } = await post(place);
    const responses = await Promise.all(people.map((by) => put(`${place.path}/${id}`, by, { resolved: true })));
    const [event, ...others] = query<{ actor: string }>(
      "SELECT actor FROM outbox WHERE type = 'comment.resolved' AND data->>'comment' = ?",
      id,
    );
    expect(others).toEqual([]);
    expect(responses.map(({ status, body }) => [status, body.resolvedBy?.id])).toEqual(
      people.map(() => [200, event?.actor]),
    );
  }
});

async function makeOrganizationAndSpace() {
  const organization = await platform().makeOrganization();
  return { organization, space: await platform().makeSpace({ organization }) };
}
