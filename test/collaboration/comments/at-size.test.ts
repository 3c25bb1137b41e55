import { expect, test } from 'vitest';
import { expectSameCost, measurePages, readWithCost } from '../../support/at-size.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import type { Place, ShownComment } from './comment-client.ts';
import { createCommentTarget } from './comment-client.ts';

const server = platform({ countsRows: true });

/**
 * Writes comments directly to the database. Every second one is resolved, every third one is by another user, and each
 * has `reacted` reactions.
 */
async function insertComments({ space, organization }: Place, count: number, reacted: number): Promise<void> {
  const createNumbersCte = (to: number) =>
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${to})`;
  const write = (statement: string) => writeDatabase(server, statement);
  await write(`${createNumbersCte(count)} INSERT INTO comments (id, space, branch, page, about, revision, author, body, created_at, resolved_at)
    SELECT 'com_${space.id}' || n, '${space.id}', '${space.id}', 'pg_a', '{"page":{"id":"pg_a","title":"A","path":"a"}}', '',
      CASE WHEN n % 3 = 0 THEN 'usr_other' ELSE '${organization.user}' END, 'Words', n, CASE WHEN n % 2 = 0 THEN n END FROM n`);
  await write(`${createNumbersCte(reacted)} INSERT OR IGNORE INTO users (id, email, display_name, created_at)
    SELECT 'usr_r' || n, 'r' || n || '@example.test', 'R', 1 FROM n`);
  await write(
    `INSERT OR IGNORE INTO users (id, email, display_name, created_at) VALUES ('usr_other', 'other@example.test', 'O', 1)`,
  );
  await write(`${createNumbersCte(reacted)} INSERT INTO reactions (object, emoji, user, space, reacted_at)
    SELECT 'com_${space.id}${count}', '👍', 'usr_r' || n, '${space.id}', n FROM n`);
}

test('listing 50 comments costs the same, whatever the number of all comments and reactions', async () => {
  const [small, large] = [
    await createCommentTarget('live content', server),
    await createCommentTarget('live content', server),
  ];
  await insertComments(small, 360, 150);
  await insertComments(large, 6000, 3000);
  for (const filter of [
    '?',
    '?status=open',
    '?status=resolved',
    '?targetPage=pg_a',
    '?authors=usr_other',
    '?order=asc',
    '?targetPage=pg_a&status=open',
    '?authors=usr_other&authors=usr_none&status=resolved',
  ]) {
    const [few, many] = await Promise.all(
      [small, large].map((place) => readWithCost<{ items: unknown[] }>(server, place.path + filter, place.space.token)),
    );
    expect(many?.body.items).toHaveLength(50);
    expect([filter, Math.abs((many?.cost.read ?? 0) - (few?.cost.read ?? 0)) <= 20]).toEqual([filter, true]);
    expect(many?.cost.trips).toBeLessThanOrEqual(4);
    expect(many?.cost.read).toBeLessThan(3000);
  }
  expectSameCost(await measurePages(server, `${large.path}?order=asc&status=open`, large.space.token));
});

test('returns the first hundred reactions and those of the caller, with the total count', async () => {
  const place = await createCommentTarget('live content', server);
  await insertComments(place, 10, 400);
  const address = `${place.path}/com_${place.space.id}10`;
  const { token } = place.space;
  await server.request(address, { token, method: 'PUT', body: { addedReactions: ['👍'] } });
  const { body, cost } = await readWithCost<ShownComment>(server, address, token);
  const [reaction] = body.reactions;
  expect(reaction?.count).toBe(401);
  expect(reaction?.users).toHaveLength(101);
  expect(reaction?.users.at(-1)?.user.id).toBe(place.organization.user);
  expect(reaction?.users[0]?.user.id).toBe('usr_r1');
  expect(cost.read).toBeLessThan(900);
});

test('a comment accepts at most 1000 replies, and all of them are deleted with it', async () => {
  const place = await createCommentTarget('live content', server);
  await insertComments(place, 1, 0);
  const comment = `com_${place.space.id}1`;
  await writeDatabase(
    server,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 999)
      INSERT INTO comment_replies (id, comment, space, branch, author, body, created_at)
      SELECT ? || n, ?, ?, ?, 'usr_other', 'Words', n FROM n`,
    ...[`rep_${comment}`, comment, place.space.id, place.space.id],
  );
  const postReply = () =>
    server.request(`${place.path}/${comment}/replies`, {
      token: place.space.token,
      body: { body: { markdown: 'Yes' } },
    });
  expect((await postReply()).status).toBe(200);
  const full = await postReply();
  expect(full.status).toBe(409);
  expect(await full.json()).toMatchObject({ error: { type: 'conflict' } });

  await writeDatabase(
    server,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20)
      INSERT INTO reactions (object, emoji, user, space, reacted_at)
      SELECT id, 'emoji ' || n, 'usr_other', space, n FROM comment_replies, n WHERE comment = ?`,
    comment,
  );
  expect(
    (await server.request(`${place.path}/${comment}`, { token: place.space.token, method: 'DELETE' })).status,
  ).toBe(205);
  for (const table of ['comment_replies', 'reactions', 'contributors'])
    expect(queryDatabase(server.dataDir, `SELECT 1 FROM ${table} WHERE space = ? LIMIT 1`, place.space.id)).toEqual([]);
  expect(queryDatabase(server.dataDir, `SELECT 1 FROM reaction_counts WHERE object LIKE 'rep_${comment}%'`)).toEqual(
    [],
  );
});
