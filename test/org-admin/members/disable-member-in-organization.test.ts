import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getMember, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const disable = ({ id, token }: TestOrganization, user: string) =>
  platform().request(`/v1/orgs/${id}/members/${user}/disable`, { token, method: 'POST' });

test('locks a member out immediately, and keeps the membership', async () => {
  const { makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const member = await makeMember(organization, 'create');
  await makeTeam(organization, { members: [member.user] });

  const response = await disable(organization, member.user);

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(await getMember(organization, member.user));
  expect(await getMember(organization, member.user)).toMatchObject({ disabled: true, role: 'create', teams: 1 });
  for (const path of [`/v1/orgs/${organization.id}`, `/v1/spaces/${space.id}`]) {
    expect([path, (await request(path, member)).status]).toEqual([path, 404]);
  }
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type = 'member.updated'", organization.id)).toEqual([
    { data: JSON.stringify({ user: member.user }) },
  ]);
});

test('the last admin cannot be disabled', async () => {
  const organization = await platform().makeOrganization();
  await makeMember(organization, 'create');

  expect((await disable(organization, organization.user)).status).toBe(412);
  expect(await getMember(organization, organization.user)).toMatchObject({ disabled: false });
});

test('returns 404 for a member of another organization', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];

  expect((await disable(own, other.user)).status).toBe(404);
});
