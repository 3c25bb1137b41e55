import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

test('makes a token that works, with its label, scopes and end', async () => {
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

test('leaves out what a token without scopes and end has not', async () => {
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
  [{ label: 'x', expiresAt: 'tomorrow' }],
  [{ label: 'x', expiresAt: '2020-01-01T00:00:00.000Z' }],
  [{ label: 'x', expiresAt: 4_000_000_000 }],
  [[]],
  ['a string'],
])('8: refuses %j', async (body) => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();

  const answer = await request('/v1/user/tokens', { token, body: JSON.stringify(body) });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid', issues: expect.any(Array) } });
});
