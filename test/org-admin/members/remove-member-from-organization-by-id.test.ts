import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { getMember, guest, makeMember, makeTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const remove = (organization: string, user: string, token: string) =>
  platform().request(`/v1/orgs/${organization}/members/${user}`, { token, method: 'DELETE' });

test('an admin can remove a member, who loses access immediately', async () => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();
  const member = await makeMember({ id, token });

  const response = await remove(id, member.user, token);

  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect((await request(`/v1/orgs/${id}`, member)).status).toBe(404);
  expect((await request(`/v1/orgs/${id}/members/${member.user}`, { token })).status).toBe(404);
  expect((await remove(id, member.user, token)).status).toBe(404);
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type = 'member.removed'", id)).toEqual([
    { data: JSON.stringify({ user: member.user }) },
  ]);
  expect((await request('/v1/user', member)).status).toBe(200);
});

test.each(['create', 'read', guest])('a member with the role %s can leave, but not remove others', async (role) => {
  const organization = await platform().makeOrganization();
  const [member, other] = [await makeMember(organization, role), await makeMember(organization)];

  const response = await remove(organization.id, other.user, member.token);

  expect(response.status).toBe(role === guest ? 404 : 403);
  expect(await getMember(organization, other.user)).toMatchObject({ role: 'read' });
  expect((await remove(organization.id, member.user, member.token)).status).toBe(204);
});

test('the last admin can leave only when there is another admin', async () => {
  const organization = await platform().makeOrganization();
  await makeMember(organization, 'create');

  const response = await remove(organization.id, organization.user, organization.token);
  expect(response.status).toBe(412);
  expect(await response.json()).toMatchObject({ error: { type: 'precondition_failed' } });
  expect(await getMember(organization, organization.user)).toMatchObject({ role: 'admin' });

  await makeMember(organization, 'admin');
  expect((await remove(organization.id, organization.user, organization.token)).status).toBe(204);
});

test('leaving also leaves the teams', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const team = await makeTeam(organization, { members: [user, organization.user] });

  expect((await remove(organization.id, user, organization.token)).status).toBe(204);

  expect(await json(`/v1/orgs/${organization.id}/teams/${team.id}`, organization)).toMatchObject({ members: 1 });
  expect(query('SELECT team FROM team_members WHERE user = ?', user)).toEqual([]);
});

test('only one of many concurrent removals succeeds, and the others return 404', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);

  const calls = Array.from({ length: 20 }, () => remove(organization.id, user, organization.token));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.toSorted()).toEqual([204, ...Array(19).fill(404)]);
  expect(
    query("SELECT 1 FROM outbox WHERE organization = ? AND type = 'member.removed'", organization.id),
  ).toHaveLength(1);
});

test('an admin cannot remove a member of another organization', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const member = await makeMember(other);

  expect((await remove(own.id, member.user, own.token)).status).toBe(404);
  expect((await remove(other.id, member.user, own.token)).status).toBe(404);
  expect(await getMember(other, member.user)).toMatchObject({ id: member.user });
});
