import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';

const makeToken = (token: string, label: string) => json<{ id: string }>('/v1/user/tokens', { token, body: { label } });

test("returns the caller's own tokens, newest first, without secrets", async () => {
  const { makeUser } = platform();
  const { token } = await makeUser();
  const other = await makeUser();
  await makeToken(other.token, 'not mine');
  const { id } = await makeToken(token, 'mine');

  const { items, count } = await json<{ items: Record<string, unknown>[]; count: number }>('/v1/user/tokens', {
    token,
  });

  expect(count).toBe(2);
  expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['mine', 'operator']));
  expect(items).toContainEqual({ object: 'user-token', id, label: 'mine', createdAt: expect.any(String) });
  expect(JSON.stringify(items)).not.toMatch(/octavo_|hash/);
});

test('paginates by cursor', async () => {
  const { token } = await platform().makeUser();
  for (const label of ['one', 'two', 'three', 'four']) await makeToken(token, label);

  await expectPaging('/v1/user/tokens', token, () => makeToken(token, 'later'));
});

test('returns when a token was last used', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();
  const newToken = await json<{ id: string; token: string }>('/v1/user/tokens', { token, body: { label: 'used' } });
  const find = async () => {
    const { items } = await json<{ items: { id: string; lastUsedAt?: string }[] }>('/v1/user/tokens', { token });
    return items.find(({ id }) => id === newToken.id);
  };
  expect(await find()).not.toHaveProperty('lastUsedAt');
  const before = Date.now();

  await request('/v1/user', { token: newToken.token });
  const lastUsedAt = await until(async () => (await find())?.lastUsedAt);

  expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
});
