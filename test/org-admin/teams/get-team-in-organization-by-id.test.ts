import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { guest, makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const getPermissions = async ({ id }: TestOrganization, team: string, { token }: TestUser) =>
  (await json<{ permissions: object }>(`/v1/orgs/${id}/teams/${team}`, { token })).permissions;

test("returns the team with the caller's permissions", async () => {
  const organization = await platform().makeOrganization();
  const owner = await makeMember(organization);
  const [creator, visitor] = [await makeMember(organization, 'create'), await makeMember(organization, guest)];
  const team = await makeTeam(organization, { title: 'Writers', members: [visitor.user] });
  await putInTeam(organization, team.id, owner.user, 'owner');

  expect(await json(`/v1/orgs/${organization.id}/teams/${team.id}`, owner)).toMatchObject({
    object: 'team',
    id: team.id,
    title: 'Writers',
    members: 2,
    spaces: 0,
  });
  expect(await getPermissions(organization, team.id, organization)).toEqual({ admin: true, view: true });
  expect(await getPermissions(organization, team.id, owner)).toEqual({ admin: true, view: true });
  expect(await getPermissions(organization, team.id, creator)).toEqual({ admin: false, view: true });
  expect(await getPermissions(organization, team.id, visitor)).toEqual({ admin: false, view: true });
});

test('a guest can read only their own teams', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { token } = await makeMember(organization, guest);
  const { id } = await makeTeam(organization, { members: [organization.user] });

  for (const team of [id, 'team_madeup']) {
    expect((await request(`/v1/orgs/${organization.id}/teams/${team}`, { token })).status).toBe(404);
  }
});

test('returns 404 for a team of another organization', async () => {
  const { makeOrganization, request } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const { id } = await makeTeam(other);

  expect((await request(`/v1/orgs/${own.id}/teams/${id}`, own)).status).toBe(404);
});
