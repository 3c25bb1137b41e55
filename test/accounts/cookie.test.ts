import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { readLogOfRequest } from '../support/log.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { backdateCookie, callWithCookie, startSession } from './sessions.ts';

const write = (statement: string, ...values: (string | number)[]) => writeDatabase(platform(), statement, ...values);

test('the app reads and writes with the cookie', async () => {
  const { cookie, user } = await startSession();

  expect(await (await callWithCookie('/v1/user', cookie)).json()).toMatchObject({ id: user });
  const made = await callWithCookie('/v1/orgs', cookie, { body: { title: 'Mine' } });
  expect(made.status).toBe(201);
  expect(made.headers.get('set-cookie')).toBeNull();
});

const requests: [string, string, (url: string) => Record<string, string | undefined>][] = [
  ['without the header of the app', 'GET', () => ({ 'octavo-app': undefined })],
  ['with another value of the header', 'GET', () => ({ 'octavo-app': '0' })],
  ['that writes without an origin', 'POST', () => ({ origin: undefined })],
  ['that writes from another site', 'POST', () => ({ origin: 'https://evil.example' })],
  ['that writes from an opaque origin', 'POST', () => ({ origin: 'null' })],
  ['that writes from a host with the same start', 'POST', (url) => ({ origin: `${url}.evil.example` })],
  ['that writes from another scheme', 'POST', (url) => ({ origin: url.replace('http:', 'https:') })],
  ['that writes without the header of the app', 'POST', () => ({ 'octavo-app': undefined })],
];

test.each(requests)('a request %s does not use the cookie', async (_, method, change) => {
  const { cookie } = await startSession();
  const headers = change(platform().url);

  const call =
    method === 'GET'
      ? callWithCookie('/v1/user', cookie, { headers })
      : callWithCookie('/v1/orgs', cookie, { headers, body: { title: 'Forged' } });
  expect((await call).status).toBe(401);
});

test.each([
  ['PUT', '/v1/orgs/org_none/teams'],
  ['PATCH', '/v1/users/usr_none'],
  ['DELETE', '/v1/user/tokens/tok_none'],
])('%s %s from another origin does not use the cookie', async (method, path) => {
  const { cookie } = await startSession();
  const send = (headers = {}) => callWithCookie(path, cookie, { method, headers });

  expect((await send({ origin: 'https://evil.example' })).status).toBe(401);
  expect((await send()).status).not.toBe(401);
});

test('a form of another site writes nothing', async () => {
  const { cookie, user } = await startSession();
  const count = () => query('SELECT COUNT(*) AS n FROM members WHERE user = ?', user)[0];
  const before = count();

  const answer = await platform().request('/v1/orgs', {
    method: 'POST',
    headers: { cookie, origin: 'https://evil.example', 'content-type': 'text/plain' },
    body: '{"title": "Forged"}',
  });

  expect(answer.status).toBe(401);
  expect(count()).toEqual(before);
});

test('other origins may send neither the cookie nor the header of the app', async () => {
  const answer = await platform().request('/v1/user', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-headers': 'octavo-app' },
  });

  expect(answer.headers.get('access-control-allow-headers')).not.toContain('octavo-app');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});

test('Authorization wins over the cookie', async () => {
  const { cookie } = await startSession();
  const other = await platform().makeUser();

  const answer = await callWithCookie('/v1/user', cookie, { token: other.token });
  expect(await answer.json()).toMatchObject({ id: other.user });
  for (const authorization of ['Bearer wrong', 'Basic eDp5'])
    expect((await callWithCookie('/v1/user', cookie, { headers: { authorization } })).status).toBe(401);
});

test('a cookie that is sent twice is not used', async () => {
  const [one, two] = [await startSession(), await startSession()];

  expect((await callWithCookie('/v1/user', `${one.cookie}; ${two.cookie}`)).status).toBe(401);
  expect((await callWithCookie('/v1/user', `a=b; ${one.cookie}; c=d`)).status).toBe(200);
});

test('a session works as a bearer token for programs', async () => {
  const { token, user } = await startSession();

  expect(await json('/v1/user', { token })).toMatchObject({ id: user });
});

test('the log contains no cookie', async () => {
  const { cookie, token } = await startSession();
  await callWithCookie('/v1/nothing', cookie);
  const log = await readLogOfRequest(await callWithCookie('/v1/user', cookie));

  expect(log.includes(token)).toBe(false);
});

test('a secret that is used after some hours is replaced, and the former one is accepted for a minute', async () => {
  const { cookie, user, token } = await startSession();
  const old = backdateCookie(cookie, 5);
  await callWithCookie('/v1/user', cookie);
  await until(() => query('SELECT 1 FROM tokens WHERE user = ? AND last_used_at IS NOT NULL', user)[0]);

  const answers = await Promise.all(Array.from({ length: 8 }, () => callWithCookie('/v1/user', old)));
  const renewed = answers.map(readSessionCookie).filter(({ header }) => header !== undefined);

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(renewed).toHaveLength(1);
  expect(renewed[0]?.token).not.toBe(token);
  expect((await callWithCookie('/v1/user', old)).status).toBe(200);
  expect((await callWithCookie('/v1/user', renewed[0]?.cookie ?? '')).status).toBe(200);
  const ends = await until(() => {
    const rows = query<{ rest: number }>(
      'SELECT ends_at - ? AS rest FROM tokens WHERE user = ? AND session IS NOT NULL ORDER BY ends_at',
      Date.now(),
      user,
    );
    return (rows[0]?.rest ?? 0) <= 60_000 ? rows : undefined;
  });
  expect(ends).toHaveLength(2);
  expect(ends[1]?.rest).toBeGreaterThan(60_000);
  expect((await callWithCookie('/v1/user', old)).status).toBe(200);
  await write('UPDATE tokens SET expires_at = 1 WHERE user = ? AND expires_at < ?', user, Date.now() + 61_000);
  expect((await callWithCookie('/v1/user', old)).status).toBe(401);
  expect((await callWithCookie('/v1/user', renewed[0]?.cookie ?? '')).status).toBe(200);
});

test('a session whose new secret was lost continues with the former one', async () => {
  const { cookie, user } = await startSession();
  await callWithCookie('/v1/user', cookie);
  await until(() => query('SELECT 1 FROM tokens WHERE user = ? AND last_used_at IS NOT NULL', user)[0]);
  expect(readSessionCookie(await callWithCookie('/v1/user', backdateCookie(cookie, 5))).header).toBeDefined();

  await write('UPDATE tokens SET last_used_at = 1 WHERE user = ? AND last_used_at IS NOT NULL', user);
  expect((await callWithCookie('/v1/user', backdateCookie(cookie, 24))).status).toBe(200);
});

test('another secret is added when a new one was not used for some minutes', async () => {
  const { cookie, user } = await startSession();
  await callWithCookie('/v1/user', cookie);
  await until(() => query('SELECT 1 FROM tokens WHERE user = ? AND last_used_at IS NOT NULL', user)[0]);
  const renew = async () => readSessionCookie(await callWithCookie('/v1/user', backdateCookie(cookie, 5)));
  expect((await renew()).header).toBeDefined();
  expect((await renew()).header).toBeUndefined();

  const before = `tok_${'0'.repeat(20)}`;
  await write('UPDATE tokens SET id = ? WHERE user = ? AND last_used_at IS NULL', before, user);
  const renewed = await renew();
  expect(renewed.header).toBeDefined();
  expect((await callWithCookie('/v1/user', renewed.cookie)).status).toBe(200);
});

test('an old secret does not fail where no worker responds', async () => {
  const { cookie } = await startSession();

  expect((await callWithCookie('/v1', backdateCookie(cookie, 5))).status).toBe(200);
});

test('each use extends a session until its end', async () => {
  const { cookie, user } = await startSession();
  const soon = Date.now() + 30_000;
  const readEnd = () =>
    query<{ end: number }>(
      'SELECT expires_at AS end FROM tokens WHERE user = ? AND last_used_at IS NOT NULL AND session IS NOT NULL',
      user,
    )[0]?.end;
  await write('UPDATE tokens SET expires_at = ? WHERE user = ? AND session IS NOT NULL', soon, user);
  await callWithCookie('/v1/user', cookie);
  expect(await until(readEnd)).toBeGreaterThan(Date.now() + 13 * 24 * 3_600_000);

  await write('UPDATE tokens SET ends_at = ?, last_used_at = NULL WHERE user = ? AND session IS NOT NULL', soon, user);
  await callWithCookie('/v1/user', cookie);
  expect(await until(readEnd)).toBe(soon);
});

test('the app without a page is routed', async () => {
  expect((await platform().request('/app')).status).not.toBe(404);
});
