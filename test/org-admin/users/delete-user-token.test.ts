import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';

const makeToken = (token: string) =>
  json<{ id: string; token: string }>('/v1/user/tokens', { token, body: { label: 'x' } });

test('revokes a token at once', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const newToken = await makeToken(token);

  const response = await request(`/v1/user/tokens/${newToken.id}`, { token, method: 'DELETE' });

  expect(response.status).toBe(205);
  expect(await response.text()).toBe('');
  expect((await request('/v1/user', { token: newToken.token })).status).toBe(401);
  expect((await request('/v1/user', { token })).status).toBe(200);
  expect((await request(`/v1/user/tokens/${newToken.id}`, { token, method: 'DELETE' })).status).toBe(404);
});

test('a token can revoke itself', async () => {
  const { makeUser, request } = platform();
  const newToken = await makeToken((await makeUser()).token);

  expect((await request(`/v1/user/tokens/${newToken.id}`, { token: newToken.token, method: 'DELETE' })).status).toBe(
    205,
  );
  expect((await request('/v1/user', { token: newToken.token })).status).toBe(401);
});

test('returns 404 for the token of another user', async () => {
  const { makeUser, request } = platform();
  const newToken = await makeToken((await makeUser()).token);
  const other = await makeUser();

  expect((await request(`/v1/user/tokens/${newToken.id}`, { token: other.token, method: 'DELETE' })).status).toBe(404);
  expect((await request('/v1/user', { token: newToken.token })).status).toBe(200);
});

test('one of many concurrent deletions succeeds, the others return 404', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const { id } = await makeToken(token);

  const calls = Array.from({ length: 20 }, () => request(`/v1/user/tokens/${id}`, { token, method: 'DELETE' }));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.toSorted()).toEqual([205, ...Array(19).fill(404)]);
  expect(
    query("SELECT type FROM outbox WHERE type = 'token.deleted' AND data = ?", JSON.stringify({ token: id })),
  ).toHaveLength(1);
});
