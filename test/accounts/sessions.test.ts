import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { createSession, makeSso } from '../support/sign-in.ts';
import { backdateCookie, callWithCookie, startSession } from './sessions.ts';

interface ShownSession {
  id: string;
  browser: string;
  current: boolean;
}

const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0';

/** Starts another session of a user, with a new API token. */
async function startAnother(token: string, userAgent = browser): Promise<string> {
  const made = await json<{ token: string }>('/v1/user/tokens', { token, body: { label: 'x' } });
  const answer = await platform().request('/login/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': userAgent },
    body: new URLSearchParams({ token: made.token }).toString(),
  });
  return readSessionCookie(answer).cookie;
}

const list = async (cookie: string, parameters = '') => {
  const answer = await callWithCookie(`/v1/user/sessions${parameters}`, cookie);
  return (await answer.json()) as { items: ShownSession[]; next?: { page: string } };
};

test('lists the sessions of the user, the newest first, with the current one marked', async () => {
  const { cookie, token } = await startSession();
  const other = await startAnother(token);
  await startSession();

  const { items } = await list(cookie);
  expect(items).toEqual([
    {
      object: 'user-session',
      ...{ id: expect.stringMatching(/^tok_\w{20}$/), browser: 'Edge on Windows', current: false },
      ...{ createdAt: expect.any(String), expiresAt: expect.any(String) },
    },
    expect.objectContaining({ browser: 'Unknown browser', current: true }),
  ]);
  expect((await list(other)).items.map(({ current }) => current)).toEqual([true, false]);
});

test('pages through the sessions', async () => {
  const { cookie, token } = await startSession();
  await startAnother(token);
  await startAnother(token);

  const first = await list(cookie, '?limit=2');
  const second = await list(cookie, `?limit=2&page=${first.next?.page}`);

  expect(first.items).toHaveLength(2);
  expect(second.items).toHaveLength(1);
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(3);
});

test('sessions are not in the list of API tokens, and cannot be revoked as tokens', async () => {
  const { cookie } = await startSession();
  const [session] = (await list(cookie)).items;

  const tokens = (await (await callWithCookie('/v1/user/tokens', cookie)).json()) as { items: object[] };
  expect(tokens.items).toEqual([]);
  const revoked = await callWithCookie(`/v1/user/tokens/${session?.id}`, cookie, { method: 'DELETE' });
  expect(revoked.status).toBe(404);
});

test('a session with two secrets is one session with a stable id, and ends with both', async () => {
  const { cookie, user } = await startSession();
  await callWithCookie('/v1/user', cookie);
  await until(() => query('SELECT 1 FROM tokens WHERE user = ? AND last_used_at IS NOT NULL', user)[0]);
  const [before] = (await list(cookie)).items;
  const renewed = readSessionCookie(await callWithCookie('/v1/user', backdateCookie(cookie, 5))).cookie;

  const { items } = await list(renewed);
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ id: before?.id, current: true });
  expect((await callWithCookie(`/v1/user/sessions/${before?.id}`, renewed, { method: 'DELETE' })).status).toBe(205);
  for (const each of [cookie, renewed]) expect((await callWithCookie('/v1/user', each)).status).toBe(401);
});

test('ends another session of the user at once, and none of other users', async () => {
  const { cookie, token } = await startSession();
  const other = await startAnother(token);
  const stranger = await startSession();
  const [session] = (await list(other)).items;
  const end = (as: string) => callWithCookie(`/v1/user/sessions/${session?.id}`, as, { method: 'DELETE' });

  expect((await end(stranger.cookie)).status).toBe(404);
  expect((await callWithCookie('/v1/user', other)).status).toBe(200);
  expect((await end(cookie)).status).toBe(205);
  expect((await callWithCookie('/v1/user', other)).status).toBe(401);
  expect((await end(cookie)).status).toBe(404);
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(200);
});

test('a session that is bound to an organization sees only sessions with the same binding', async () => {
  const sso = await makeSso();
  const { token } = await createSession(sso);
  const { id: user } = await json<{ id: string }>('/v1/user', { token });
  await writeDatabase(
    platform(),
    `INSERT INTO tokens (id, user, label, hash, created_at, expires_at, session, ends_at)
      VALUES (?1 || 'x', ?1, 'Unbound', ?1 || 'x', 1, ?2, ?1 || 'x', ?2)`,
    user,
    Date.now() + 3_600_000,
  );

  const { items } = await json<{ items: ShownSession[] }>('/v1/user/sessions', { token });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ current: true });
  const answer = await platform().request(`/v1/user/sessions/${user}x`, { token, method: 'DELETE' });
  expect(answer.status).toBe(404);
});

test('an expired session is not listed', async () => {
  const { cookie, token, user } = await startSession();
  await startAnother(token);
  await writeDatabase(platform(), "UPDATE tokens SET expires_at = 1 WHERE user = ? AND label LIKE 'Edge%'", user);

  expect((await list(cookie)).items).toHaveLength(1);
});

test('a user has at most twenty sessions', async () => {
  const { cookie, token, user } = await startSession();
  const made = await json<{ token: string }>('/v1/user/tokens', { token, body: { label: 'x' } });
  for (let count = 0; count < 20; count += 1) await startAnother(made.token);

  expect(query('SELECT COUNT(DISTINCT session) AS n FROM tokens WHERE user = ?', user)).toEqual([{ n: 20 }]);
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
});

test('a session whose secret was replaced often counts as one', async () => {
  const { cookie, token, user } = await startSession();
  const other = await startAnother(token);
  await writeDatabase(
    platform(),
    `INSERT INTO tokens (id, user, label, hash, created_at, expires_at, session, ends_at)
      SELECT tokens.id || n.value, user, label, hash || n.value, created_at, expires_at, session, ends_at
      FROM tokens CROSS JOIN json_each(?) n WHERE user = ? AND session IS NOT NULL`,
    JSON.stringify(Array.from({ length: 15 }, (_, index) => index)),
    user,
  );
  await startAnother(token);

  expect(query('SELECT COUNT(DISTINCT session) AS n FROM tokens WHERE user = ?', user)).toEqual([{ n: 3 }]);
  expect(query('SELECT COUNT(*) AS n FROM tokens WHERE user = ? AND session IS NOT NULL', user)).toEqual([{ n: 33 }]);
  for (const each of [cookie, other]) expect((await callWithCookie('/v1/user', each)).status).toBe(200);
});
