import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getMember, makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const remove = (organization: string, team: string, token: string) =>
  platform().request(`/v1/orgs/${organization}/teams/${team}`, { token, method: 'DELETE' });

test('deletes the team and its memberships', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization, { members: [organization.user] });
  const other = await makeTeam(organization, { members: [organization.user] });

  const response = await remove(organization.id, id, organization.token);

  expect(response.status).toBe(204);
  expect((await platform().request(`/v1/orgs/${organization.id}/teams/${id}`, organization)).status).toBe(404);
  expect(await getMember(organization, organization.user)).toMatchObject({ teams: 1 });
  expect(query('SELECT team FROM team_members WHERE organization = ?', organization.id)).toEqual([{ team: other.id }]);
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type = 'team.deleted'", organization.id)).toEqual([
    { data: JSON.stringify({ team: id }) },
  ]);
});

test('one of many concurrent deletions succeeds, the others return 404', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization);

  const calls = Array.from({ length: 20 }, () => remove(organization.id, id, organization.token));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);

  expect(statuses.toSorted()).toEqual([204, ...Array(19).fill(404)]);
  expect(query("SELECT 1 FROM outbox WHERE organization = ? AND type = 'team.deleted'", organization.id)).toHaveLength(
    1,
  );
});

test('owners of the team and admins of another organization cannot delete it', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const { user, token } = await makeMember(own);
  const [mine, theirs] = [await makeTeam(own), await makeTeam(other)];
  await putInTeam(own, mine.id, user, 'owner');

  expect((await remove(own.id, mine.id, token)).status).toBe(403);
  expect((await remove(own.id, theirs.id, own.token)).status).toBe(404);
  expect(query('SELECT id FROM teams WHERE id IN (?, ?)', mine.id, theirs.id)).toHaveLength(2);
});
