import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getMember, guest, makeMember, makeTeam, putInTeam, readTeamRoles } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

test('adds a user as `member` by default, and keeps the role of an existing team member', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeMember(organization);
  const { id } = await makeTeam(organization);
  const path = `/v1/orgs/${organization.id}/teams/${id}/members/${user}`;

  const response = await request(path, { token: organization.token, method: 'PUT' });
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect(await readTeamRoles(organization, id)).toEqual({ [user]: 'member' });

  expect(await putInTeam(organization, id, user, 'owner')).toBe(204);
  expect(await readTeamRoles(organization, id)).toEqual({ [user]: 'owner' });

  expect(await putInTeam(organization, id, user)).toBe(204);
  expect(await readTeamRoles(organization, id)).toEqual({ [user]: 'owner' });

  expect(await putInTeam(organization, id, user, 'member')).toBe(204);
  expect(await readTeamRoles(organization, id)).toEqual({ [user]: 'member' });
  expect(await getMember(organization, user)).toMatchObject({ teams: 1 });
  expect(
    query("SELECT data FROM outbox WHERE organization = ? AND type = 'team.members_changed'", organization.id)[0],
  ).toEqual({ data: JSON.stringify({ team: id }) });
});

test('owners of the team can add members, even if they are guests; members of the team cannot', async () => {
  const organization = await platform().makeOrganization();
  const [owner, member, added] = [
    await makeMember(organization, guest),
    await makeMember(organization, 'create'),
    await makeMember(organization),
  ];
  const { id } = await makeTeam(organization, { members: [member.user] });
  await putInTeam(organization, id, owner.user, 'owner');

  expect(await putInTeam({ ...organization, token: member.token }, id, added.user)).toBe(403);
  expect(await putInTeam({ ...organization, token: member.token }, id, member.user, 'owner')).toBe(403);
  expect(await putInTeam({ ...organization, token: owner.token }, id, added.user, 'owner')).toBe(204);
  expect(await readTeamRoles(organization, id)).toEqual({
    [owner.user]: 'owner',
    [member.user]: 'member',
    [added.user]: 'owner',
  });
});

test('rejects users outside of the organization and teams of another organization', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const [mine, theirs] = [await makeTeam(own), await makeTeam(other)];

  expect(await putInTeam(own, mine.id, other.user)).toBe(404);
  expect(await putInTeam(own, mine.id, 'usr_madeup')).toBe(404);
  expect(await putInTeam(own, theirs.id, own.user)).toBe(404);
  expect(query('SELECT team FROM team_members WHERE team IN (?, ?)', mine.id, theirs.id)).toEqual([]);
});

test('rejects an unknown team role', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization);

  expect(await putInTeam(organization, id, organization.user, 'admin')).toBe(400);
  expect(await readTeamRoles(organization, id)).toEqual({});
});

test('concurrent additions count a member once', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const { id } = await makeTeam(organization);

  const statuses = await Promise.all(Array.from({ length: 20 }, () => putInTeam(organization, id, user)));

  expect(statuses).toEqual(Array(20).fill(204));
  expect(query('SELECT members FROM teams WHERE id = ?', id)).toEqual([{ members: 1 }]);
  expect(await getMember(organization, user)).toMatchObject({ teams: 1 });
});

test('a member who leaves the organization during the request is not added to the team', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeMember(organization);
  const { id } = await makeTeam(organization);
  const { token } = organization;

  const added = Array.from({ length: 15 }, () => putInTeam(organization, id, user, 'owner'));
  const response = request(`/v1/orgs/${organization.id}/members/${user}`, { token, method: 'DELETE' });
  const statuses = await Promise.all(added);

  expect((await response).status).toBe(204);
  expect(statuses.filter((status) => ![204, 404].includes(status))).toEqual([]);
  expect(query('SELECT user FROM team_members WHERE team = ?', id)).toEqual([]);
  expect(query('SELECT members FROM teams WHERE id = ?', id)).toEqual([{ members: 0 }]);
});
