import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { query } from '../support/database.ts';
import { makeMember } from '../support/people.ts';
import { platform, type TestUser } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';
import { createSession, makeSso } from '../support/sign-in.ts';
import { callWithCookie, startSession } from './sessions.ts';

const submitToken = (token: string) =>
  platform().request('/login/token', {
    method: 'POST',
    headers: { origin: platform().url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }).toString(),
  });

const createToken = ({ token }: Pick<TestUser, 'token'>, more: object = {}) =>
  json<{ id: string; token: string }>('/v1/user/tokens', { token, body: { label: 'For the app', ...more } });

async function signInWith(token: string): Promise<string> {
  const answer = await submitToken(token);
  expect(answer.status).toBe(303);
  return readSessionCookie(answer).cookie;
}

test('a session that is started with a token has the same user and scopes', async () => {
  const person = await platform().makeUser();
  const { token } = await createToken(person, { scopes: ['space:read'] });
  const cookie = await signInWith(token);

  expect(await (await callWithCookie('/v1/user', cookie)).json()).toMatchObject({ id: person.user });
  expect((await callWithCookie('/v1/user/tokens', cookie, { body: { label: 'More' } })).status).toBe(403);
  expect((await callWithCookie('/v1/user/sessions', cookie)).status).toBe(403);
  expect((await callWithCookie('/v1/orgs', cookie, { body: { title: 'More' } })).status).toBe(403);
});

test('sessions with scopes do not end sessions without', async () => {
  const { cookie, token, user } = await startSession();
  const scoped = await createToken({ token }, { scopes: ['space:read'] });

  for (let count = 0; count < 21; count += 1) await signInWith(scoped.token);

  expect((await callWithCookie('/v1/user', cookie)).status).toBe(200);
  expect(query('SELECT COUNT(DISTINCT session) AS n FROM tokens WHERE user = ?', user)).toEqual([{ n: 21 }]);
});

test('a session that is started with a bound token is bound too, and creates only bound tokens', async () => {
  const sso = await makeSso();
  const { token } = await createSession(sso);
  const bound = await createToken({ token });
  const cookie = await signInWith(bound.token);

  expect((await callWithCookie(`/v1/orgs/${sso.organization.id}`, cookie)).status).toBe(200);
  const made = await callWithCookie('/v1/user/tokens', cookie, { body: { label: 'More' } });
  const { id } = (await made.json()) as { id: string };
  expect(query('SELECT organization FROM tokens WHERE id = ?', id)).toEqual([{ organization: sso.organization.id }]);
  expect((await callWithCookie('/v1/orgs', cookie, { body: { title: 'Other' } })).status).toBe(403);
});

test('the session ends when the token is revoked', async () => {
  const person = await platform().makeUser();
  const { id, token } = await createToken(person);
  const cookie = await signInWith(token);
  expect((await callWithCookie('/v1/user', cookie)).status).toBe(200);

  await platform().request(`/v1/user/tokens/${id}`, { token: person.token, method: 'DELETE' });

  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
});

test('the session expires with the token at the latest', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const person = await platform().makeUser();
  const { id, token } = await createToken(person, { expiresAt });
  await signInWith(token);

  expect(query('SELECT expires_at AS at, ends_at AS ends FROM tokens WHERE parent = ?', id)).toEqual([
    { at: Date.parse(expiresAt), ends: Date.parse(expiresAt) },
  ]);
});

test('the session ends with the membership if the token is bound', async () => {
  const sso = await makeSso();
  const { token } = await createSession(sso);
  const { id: user } = await json<{ id: string }>('/v1/user', { token });
  const cookie = await signInWith((await createToken({ token })).token);

  await platform().request(`/v1/orgs/${sso.organization.id}/members/${user}`, {
    token: sso.organization.token,
    method: 'DELETE',
  });

  expect((await callWithCookie('/v1/user', cookie)).status).toBe(401);
});

test('a disabled member has no access to the organization with a session', async () => {
  const organization = await platform().makeOrganization();
  const member = await makeMember(organization);
  const cookie = await signInWith(member.token);
  expect((await callWithCookie(`/v1/orgs/${organization.id}`, cookie)).status).toBe(200);

  await platform().request(`/v1/orgs/${organization.id}/members/${member.user}/disable`, {
    token: organization.token,
    method: 'POST',
  });

  expect((await callWithCookie(`/v1/orgs/${organization.id}`, cookie)).status).toBe(404);
});

test.each(['', 'octavo_wrong', `octavo_${'x'.repeat(40)}`])('the wrong token %j is rejected', async (token) => {
  const answer = await submitToken(token);

  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('the secret of a session does not start another session', async () => {
  const answer = await submitToken((await startSession()).token);

  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
});
