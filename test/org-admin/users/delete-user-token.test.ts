import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const makeToken = (token: string) =>
  json<{ id: string; token: string }>('/v1/user/tokens', { token, body: { label: 'x' } });

test('33: ends a token at once', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const made = await makeToken(token);

  const answer = await request(`/v1/user/tokens/${made.id}`, { token, method: 'DELETE' });

  expect(answer.status).toBe(205);
  expect(await answer.text()).toBe('');
  expect((await request('/v1/user', { token: made.token })).status).toBe(401);
  expect((await request('/v1/user', { token })).status).toBe(200);
  expect((await request(`/v1/user/tokens/${made.id}`, { token, method: 'DELETE' })).status).toBe(404);
});

test('33: a token may end itself', async () => {
  const { makeUser, request } = platform();
  const made = await makeToken((await makeUser()).token);

  expect((await request(`/v1/user/tokens/${made.id}`, { token: made.token, method: 'DELETE' })).status).toBe(205);
  expect((await request('/v1/user', { token: made.token })).status).toBe(401);
});

test('3, 33: the token of another user is not there, and lives on', async () => {
  const { makeUser, request } = platform();
  const made = await makeToken((await makeUser()).token);
  const other = await makeUser();

  expect((await request(`/v1/user/tokens/${made.id}`, { token: other.token, method: 'DELETE' })).status).toBe(404);
  expect((await request('/v1/user', { token: made.token })).status).toBe(200);
});
