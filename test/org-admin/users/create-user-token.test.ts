import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';

test('creates a working token with its label, scopes and expiry', async () => {
  const { makeUser, request } = platform();
  const { token, user } = await makeUser();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const body = { label: 'For the build', scopes: ['space:read', 'user:read'], expiresAt };

  const answer = await request('/v1/user/tokens', { token, body });
  const made = (await answer.json()) as { token: string };

  expect(answer.status).toBe(201);
  expect(made).toEqual({
    object: 'user-token',
    id: expect.stringMatching(/^tok_\w{20}$/),
    createdAt: expect.any(String),
    token: expect.stringMatching(/^octavo_\w{40}$/),
    ...body,
  });
  expect(await json('/v1/user', { token: made.token })).toMatchObject({ id: user });
});

test('omits scopes and expiry if the request sets none', async () => {
  const { token } = await platform().makeUser();

  expect(Object.keys(await json('/v1/user/tokens', { token, body: { label: 'x' } })).sort()).toEqual(
    ['createdAt', 'id', 'label', 'object', 'token'].sort(),
  );
});

test.each([
  [{}],
  [{ label: '' }],
  [{ label: 'x'.repeat(51) }],
  [{ label: 7 }],
  [{ label: 'x', scopes: [] }],
  [{ label: 'x', scopes: ['*'] }],
  [{ label: 'x', scopes: ['space:read', 'all'] }],
  [{ label: 'x', scopes: 'space:read' }],
  [{ label: 'x', scopes: ['read *'] }],
  [{ label: 'x', scopes: ['space:read space:write'] }],
  [{ label: 'x', scopes: ['SPACE:READ'] }],
  [{ label: 'x', scopes: ['space:read', null] }],
  [{ label: 'x', scopes: { 0: 'space:read' } }],
  [{ label: 'x', scopes: Array(31).fill('space:read') }],
  [{ label: 'x', scopes: ['space:read', 'space:read'] }],
  [{ label: 'x', expiresAt: 'tomorrow' }],
  [{ label: 'x', expiresAt: '2020-01-01T00:00:00.000Z' }],
  [{ label: 'x', expiresAt: 4_000_000_000 }],
  [[]],
  ['a string'],
])('rejects %j', async (body) => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();

  const answer = await request('/v1/user/tokens', { token, body: JSON.stringify(body) });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
});

/** Creates a user with the operator's token and `count` more tokens, ten at a time. */
async function makeMany(count: number, more: () => object = () => ({})): Promise<string> {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  for (let made = 0; made < count; made += 10) {
    const some = Array.from({ length: Math.min(10, count - made) }, () =>
      request('/v1/user/tokens', { token, body: { label: 'x', ...more() } }),
    );
    for (const { status } of await Promise.all(some)) expect(status).toBe(201);
  }
  return token;
}

test('a user has at most 100 tokens, also concurrently', async () => {
  const token = await makeMany(90);

  const calls = Array.from({ length: 25 }, () =>
    platform().request('/v1/user/tokens', { token, body: { label: 'one more' } }),
  );
  const answers = await Promise.all(calls);
  const refused = answers.filter(({ status }) => status === 409);

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
  expect(refused).toHaveLength(16);
  expect(await refused[0]?.json()).toMatchObject({ error: { message: 'A user can have at most 100 tokens.' } });
});

/** Simulates that the tokens of a user with this label have expired. */
const expire = (user: string, label = 'x') =>
  writePast(platform(), 'UPDATE tokens SET expires_at = 1 WHERE user = ? AND label = ?', user, label);

test('expired tokens do not count', async () => {
  const token = await makeMany(99, () => ({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() }));
  const onceMore = () => platform().request('/v1/user/tokens', { token, body: { label: 'one more' } });
  expect((await onceMore()).status).toBe(409);
  await expire((await json<{ id: string }>('/v1/user', { token })).id);

  const made = await until(async () => {
    const answer = await onceMore();
    return answer.ok || undefined;
  });

  expect(made).toBe(true);
});

test("creating a token deletes the user's expired tokens, and no others", async () => {
  const { makeUser, request } = platform();
  const [caller, other] = [await makeUser(), await makeUser()];
  const make = (token: string, label: string, more: object = {}) =>
    json<{ token: string }>('/v1/user/tokens', { token, body: { label, ...more } });
  const labels = async ({ token }: { token: string }) =>
    (await json<{ items: { label: string }[] }>('/v1/user/tokens', { token })).items.map(({ label }) => label).sort();
  const late = { expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  await make(caller.token, 'late', late);
  await make(other.token, 'expired', late);
  const expired = await make(caller.token, 'expired', late);
  for (const { user } of [caller, other]) await expire(user, 'expired');
  await until(async () => ((await request('/v1/user', { token: expired.token })).status === 401 ? true : undefined));

  await make(caller.token, 'new');

  expect(await labels(caller)).toEqual(['late', 'new', 'operator']);
  expect(await labels(other)).toEqual(['expired', 'operator']);
});
