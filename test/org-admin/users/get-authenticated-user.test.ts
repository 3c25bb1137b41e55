import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';

test('returns the caller', async () => {
  const { makeUser, request, url } = platform();
  const { token, user } = await makeUser();

  const response = await request('/v1/user', { token });

  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(await response.json()).toEqual({
    object: 'user',
    id: user,
    displayName: 'A tester',
    email: expect.stringMatching(/^user-.+@example\.test$/),
    urls: { location: `${url}/v1/users/${user}` },
  });
});

test('accepts the token scheme in any case', async () => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();

  expect((await request('/v1/user', { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
});
