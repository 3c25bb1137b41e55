import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getMember, guest, makeMember, readTeamRoles } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const create = ({ id, token }: Pick<TestOrganization, 'id' | 'token'>, body: unknown) =>
  platform().request(`/v1/orgs/${id}/teams`, { token, method: 'PUT', body });

test('creates a team with the given members, each of them once', async () => {
  const organization = await platform().makeOrganization();
  const [member, visitor] = [await makeMember(organization), await makeMember(organization, guest)];

  const response = await create(organization, {
    title: 'Writers',
    members: [member.user, visitor.user, member.user],
  });
  const team = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(team).toEqual({
    object: 'team',
    id: expect.stringMatching(/^team_\w{20}$/),
    title: 'Writers',
    members: 2,
    spaces: 0,
    createdAt: expect.any(String),
    permissions: { admin: true, view: true },
  });
  const readResponse = await platform().request(`/v1/orgs/${organization.id}/teams/${team.id}`, organization);
  expect(await readResponse.json()).toEqual(team);
  expect(await readTeamRoles(organization, team.id)).toEqual({ [member.user]: 'member', [visitor.user]: 'member' });
  expect(await getMember(organization, member.user)).toMatchObject({ teams: 1 });
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type LIKE 'team.%'", organization.id)).toEqual([
    { data: JSON.stringify({ team: team.id }) },
  ]);
});

test('creates an empty team by default', async () => {
  const organization = await platform().makeOrganization();

  expect(await (await create(organization, { title: 'x' })).json()).toMatchObject({ title: 'x', members: 0 });
});

test('names each user who is not a member by index, and creates nothing', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const { user } = await makeMember(organization);

  const response = await create(organization, { title: 'x', members: [user, other.user, 'usr_madeup', user] });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      type: 'invalid',
      issues: [
        { path: 'body.members.1', message: 'must be a member of the organization' },
        { path: 'body.members.2', message: 'must be a member of the organization' },
      ],
    },
  });
  expect(query('SELECT id FROM teams WHERE organization = ?', organization.id)).toEqual([]);
});

test.each([
  [{}],
  [{ title: '' }],
  [{ title: 'x'.repeat(65) }],
  [{ title: 7 }],
  [{ title: 'x', members: 'usr_x' }],
  [{ title: 'x', members: [7] }],
  [{ title: 'x', members: ["'; --"] }],
  [{ title: 'x', members: Array(1001).fill('usr_x') }],
])('rejects %j', async (body) => {
  const organization = await platform().makeOrganization();

  expect((await create(organization, body)).status).toBe(400);
});

test('accepts no ID, organization or counter from the client', async () => {
  const organization = await platform().makeOrganization();
  const foreign = { id: 'team_mine', organization: 'org_mine', spaces: 99, createdAt: '2020-01-01T00:00:00.000Z' };

  for (const [name, value] of Object.entries(foreign))
    expect([name, (await create(organization, { [name]: value, title: 'x' })).status]).toEqual([name, 400]);

  expect(query('SELECT id FROM teams WHERE organization = ?', organization.id)).toEqual([]);
});

test('a member who leaves while teams are created is in none of these teams', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { token, id } = organization;
  const { user } = await makeMember(organization);

  const responses = Array.from({ length: 15 }, () => create(organization, { title: 'x', members: [user] }));
  const response = request(`/v1/orgs/${id}/members/${user}`, { token, method: 'DELETE' });
  const statuses = (await Promise.all(responses)).map(({ status }) => status);

  expect((await response).status).toBe(204);
  expect(statuses.filter((status) => ![201, 400].includes(status))).toEqual([]);
  expect(query('SELECT team FROM team_members WHERE user = ?', user)).toEqual([]);
  expect(query('SELECT members FROM teams WHERE organization = ? AND members <> 0', id)).toEqual([]);
});
