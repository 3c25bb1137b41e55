import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

test('returns a member of the organization', async () => {
  const { makeOrganization, url } = platform();
  const organization = await makeOrganization();
  const { user } = await makeMember(organization, 'review');

  expect(await json(`/v1/orgs/${organization.id}/members/${user}`, organization)).toEqual({
    object: 'member',
    id: user,
    role: 'review',
    user: {
      object: 'user',
      id: user,
      displayName: 'A tester',
      email: expect.stringContaining('@example.test'),
      urls: { location: `${url}/v1/users/${user}` },
    },
    disabled: false,
    joinedAt: expect.any(String),
    sso: false,
    spaces: 0,
    teams: 0,
    sites: 0,
  });
});

test('a guest can read only themselves', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { token, user } = await makeMember(organization, guest);

  expect(await json(`/v1/orgs/${organization.id}/members/${user}`, { token })).toMatchObject({ id: user, role: null });
  const hidden = await request(`/v1/orgs/${organization.id}/members/${organization.user}`, { token });
  const missing = await request(`/v1/orgs/${organization.id}/members/usr_madeup`, { token });
  expect([hidden.status, missing.status]).toEqual([404, 404]);
});

test('returns 404 for a user of another organization', async () => {
  const { makeOrganization, request } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];

  expect((await request(`/v1/orgs/${own.id}/members/${other.user}`, own)).status).toBe(404);
});
