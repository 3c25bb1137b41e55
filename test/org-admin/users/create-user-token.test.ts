import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';

test('creates a working token with its label, scopes and expiry', async () => {
  const { makeUser, request } = platform();
  const { token, user } = await makeUser();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const body = { label: 'For the build', scopes: ['space:read', 'user:read'], expiresAt };

  const response = await request('/v1/user/tokens', { token, body });
  const newToken = (await response.json()) as { token: string };

  expect(response.status).toBe(201);
  expect(newToken).toEqual({
    object: 'user-token',
    id: expect.stringMatching(/^tok_\w{20}$/),
    createdAt: expect.any(String),
    token: expect.stringMatching(/^octavo_\w{40}$/),
    ...body,
  });
  expect(await json('/v1/user', { token: newToken.token })).toMatchObject({ id: user });
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

  const response = await request('/v1/user/tokens', { token, body: JSON.stringify(body) });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
});

/** Creates a user with the operator's token and `count` more tokens, ten at a time. */
async function createManyTokens(count: number, more: () => object = () => ({})): Promise<string> {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  for (let index = 0; index < count; index += 10) {
    const some = Array.from({ length: Math.min(10, count - index) }, () =>
      request('/v1/user/tokens', { token, body: { label: 'x', ...more() } }),
    );
    for (const { status } of await Promise.all(some)) expect(status).toBe(201);
  }
  return token;
}

test('a user has at most 100 tokens, also concurrently', async () => {
  const token = await createManyTokens(90);

  const calls = Array.from({ length: 25 }, () =>
    platform().request('/v1/user/tokens', { token, body: { label: 'one more' } }),
  );
  const responses = await Promise.all(calls);
  const refusedResponses = responses.filter(({ status }) => status === 409);

  expect(responses.filter(({ status }) => status === 201)).toHaveLength(9);
  expect(refusedResponses).toHaveLength(16);
  expect(await refusedResponses[0]?.json()).toMatchObject({
    error: { message: 'A user can have at most 100 tokens.' },
  });
});

/** Simulates that the tokens of a user with this label have expired. */
const expireTokens = (user: string, label = 'x') =>
  writeDatabase(platform(), 'UPDATE tokens SET expires_at = 1 WHERE user = ? AND label = ?', user, label);

test('expired tokens do not count towards the limit', async () => {
  const token = await createManyTokens(99, () => ({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() }));
  const createAnotherToken = () => platform().request('/v1/user/tokens', { token, body: { label: 'one more' } });
  expect((await createAnotherToken()).status).toBe(409);
  await expireTokens((await json<{ id: string }>('/v1/user', { token })).id);

  const isCreated = await until(async () => {
    const response = await createAnotherToken();
    return response.ok || undefined;
  });

  expect(isCreated).toBe(true);
});

test("creating a token deletes the user's expired tokens, and no others", async () => {
  const { makeUser, request } = platform();
  const [caller, other] = [await makeUser(), await makeUser()];
  const make = (token: string, label: string, more: object = {}) =>
    json<{ token: string }>('/v1/user/tokens', { token, body: { label, ...more } });
  const listLabels = async ({ token }: { token: string }) =>
    (await json<{ items: { label: string }[] }>('/v1/user/tokens', { token })).items.map(({ label }) => label).sort();
  const late = { expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  await make(caller.token, 'late', late);
  await make(other.token, 'expired', late);
  const expired = await make(caller.token, 'expired', late);
  for (const { user } of [caller, other]) await expireTokens(user, 'expired');
  await until(async () => ((await request('/v1/user', { token: expired.token })).status === 401 ? true : undefined));

  await make(caller.token, 'new');

  expect(await listLabels(caller)).toEqual(['late', 'new', 'operator']);
  expect(await listLabels(other)).toEqual(['expired', 'operator']);
});
