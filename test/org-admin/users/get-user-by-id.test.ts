import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';

test('returns a user to themselves and to members of a common organization only', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const member = await makeUser({ organization: organization.id, role: 'read' });
  const stranger = await makeOrganization();
  const readStatus = async (token: string) => (await request(`/v1/users/${member.user}`, { token })).status;

  expect(await readStatus(member.token)).toBe(200);
  expect(await readStatus(organization.token)).toBe(200);
  expect(await readStatus(stranger.token)).toBe(404);
  expect((await request('/v1/users/usr_madeup', { token: organization.token })).status).toBe(404);
});

test('the user URL in a response returns the user', async () => {
  const { makeUser, request } = platform();
  const { token, user } = await makeUser();
  const { urls } = (await (await request('/v1/user', { token })).json()) as { urls: { location: string } };

  const response = await request(new URL(urls.location).pathname, { token });

  expect(await response.json()).toMatchObject({ object: 'user', id: user });
});
