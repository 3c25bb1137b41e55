import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getMember, makeMember, makeTeam, putInTeam, readTeamRoles } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const removeMember = async ({ id, token }: Pick<TestOrganization, 'id' | 'token'>, team: string, user: string) =>
  (await platform().request(`/v1/orgs/${id}/teams/${team}/members/${user}`, { token, method: 'DELETE' })).status;

test('removes a member from the team, not from the organization', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const { id } = await makeTeam(organization, { members: [user, organization.user] });

  expect(await removeMember(organization, id, user)).toBe(204);

  expect(await readTeamRoles(organization, id)).toEqual({ [organization.user]: 'member' });
  expect(await getMember(organization, user)).toMatchObject({ teams: 0 });
  expect(
    query("SELECT data FROM outbox WHERE organization = ? AND type = 'team.members_changed'", organization.id),
  ).toEqual([{ data: JSON.stringify({ team: id }) }]);
  expect(await removeMember(organization, id, user)).toBe(404);
});

test('owners of the team remove others and leave; members of the team cannot', async () => {
  const organization = await platform().makeOrganization();
  const [owner, member] = [await makeMember(organization), await makeMember(organization, 'create')];
  const { id } = await makeTeam(organization, { members: [member.user] });
  await putInTeam(organization, id, owner.user, 'owner');

  expect(await removeMember({ ...organization, token: member.token }, id, owner.user)).toBe(403);
  expect(await removeMember({ ...organization, token: owner.token }, id, member.user)).toBe(204);
  expect(await removeMember({ ...organization, token: owner.token }, id, owner.user)).toBe(204);
  expect(await readTeamRoles(organization, id)).toEqual({});
});

test('returns 404 for a user who is not in this team', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const [mine, theirs] = [await makeTeam(own), await makeTeam(other, { members: [other.user] })];
  await makeTeam(own, { members: [own.user] });

  expect(await removeMember(own, mine.id, own.user)).toBe(404);
  expect(await removeMember(own, theirs.id, other.user)).toBe(404);
  expect(await removeMember(own, mine.id, 'usr_madeup')).toBe(404);
  expect(await readTeamRoles(other, theirs.id)).toEqual({ [other.user]: 'member' });
});

test('one of many concurrent removals succeeds, the others return 404', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization, { members: [organization.user] });

  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => removeMember(organization, id, organization.user)),
  );

  expect(statuses.toSorted()).toEqual([204, ...Array(19).fill(404)]);
  expect(query('SELECT members FROM teams WHERE id = ?', id)).toEqual([{ members: 0 }]);
});
