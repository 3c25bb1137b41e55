import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { makeMember, makeTeam, putInTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const rename = ({ id, token }: Pick<TestOrganization, 'id' | 'token'>, team: string, body: unknown) =>
  platform().request(`/v1/orgs/${id}/teams/${team}`, { token, method: 'PATCH', body });

test('renames the team and changes nothing else, whatever the body contains', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization, { members: [organization.user] });
  const path = `/v1/orgs/${organization.id}/teams/${id}`;
  const before = await json<object>(path, organization);
  const foreign = { id: 'team_mine', members: 99, spaces: 99, createdAt: 1 };
  expect((await rename(organization, id, { ...foreign, organization: 'org_mine', title: 'No' })).status).toBe(400);

  const response = await rename(organization, id, { ...foreign, title: 'New' });
  const after = await response.json();

  expect(response.status).toBe(200);
  expect(after).toEqual({ ...before, title: 'New' });
  expect(await json(path, organization)).toEqual(after);
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type = 'team.updated'", organization.id)).toEqual([
    { data: JSON.stringify({ team: id }) },
  ]);
});

test.each([[{}], [{ title: '' }], [{ title: 'x'.repeat(65) }], [{ title: null }]])('rejects %j', async (body) => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization);

  expect((await rename(organization, id, body)).status).toBe(400);
});

test('an owner of the team cannot rename it', async () => {
  const organization = await platform().makeOrganization();
  const { user, token } = await makeMember(organization, 'create');
  const { id } = await makeTeam(organization, { title: 'Old' });
  await putInTeam(organization, id, user, 'owner');

  expect((await rename({ ...organization, token }, id, { title: 'New' })).status).toBe(403);
  expect(await json(`/v1/orgs/${organization.id}/teams/${id}`, organization)).toMatchObject({ title: 'Old' });
});

test('an admin cannot rename a team of another organization', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const { id } = await makeTeam(other, { title: 'Old' });

  expect((await rename(own, id, { title: 'New' })).status).toBe(404);
  expect(query('SELECT title FROM teams WHERE id = ?', id)).toEqual([{ title: 'Old' }]);
});

test('a rename does not restore a team that is deleted concurrently', async () => {
  const organization = await platform().makeOrganization();
  const { id } = await makeTeam(organization);
  const path = `/v1/orgs/${organization.id}/teams/${id}`;

  const renames = Array.from({ length: 20 }, (_, index) => rename(organization, id, { title: `Title ${index}` }));
  const removed = platform().request(path, { token: organization.token, method: 'DELETE' });
  const statuses = (await Promise.all(renames)).map(({ status }) => status);

  expect((await removed).status).toBe(204);
  expect(statuses.filter((status) => ![200, 404].includes(status))).toEqual([]);
  expect(query("SELECT 1 FROM outbox WHERE organization = ? AND type = 'team.updated'", organization.id)).toHaveLength(
    statuses.filter((status) => status === 200).length,
  );
});
