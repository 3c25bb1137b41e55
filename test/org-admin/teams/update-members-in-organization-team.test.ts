import { beforeEach, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { getMember, guest, makeMember, makeTeam, putInTeam, readTeamRoles } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

let organization: TestOrganization;
let team: string;
let [ada, bob, cy]: [string, string, string] = ['', '', ''];

beforeEach(async () => {
  organization = await platform().makeOrganization();
  const make = async () => (await makeMember(organization)).user;
  [ada, bob, cy] = [await make(), await make(), await make()];
  team = (await makeTeam(organization, { members: [ada] })).id;
});

const put = (body: unknown, token = organization.token) =>
  platform().request(`/v1/orgs/${organization.id}/teams/${team}/members`, { token, method: 'PUT', body });

const getEmail = async (user: string) => (await getMember(organization, user)).user.email ?? '';

const countChanges = () =>
  query("SELECT 1 FROM outbox WHERE organization = ? AND type = 'team.members_changed'", organization.id).length;

test('adds and removes users by ID and by address, ignoring case, and sets roles', async () => {
  const add = [(await getEmail(bob)).toUpperCase(), cy];

  const response = await put({ add, remove: [await getEmail(ada)], memberships: { [cy]: { role: 'owner' } } });

  expect(response.status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [bob]: 'member', [cy]: 'owner' });
  expect(await json(`/v1/orgs/${organization.id}/teams/${team}`, organization)).toMatchObject({ members: 2 });
  expect(await getMember(organization, ada)).toMatchObject({ teams: 0 });
  expect(countChanges()).toBe(1);
});

test('removes users who are in both lists, by ID or by address', async () => {
  const body = { add: [ada, await getEmail(bob), cy], remove: [await getEmail(ada), bob], memberships: {} };

  expect((await put(body)).status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [cy]: 'member' });
});

test('setting a role adds a user to the team, unless the request removes them', async () => {
  const memberships = { [bob]: { role: 'owner' }, [cy]: { role: 'owner' }, [ada]: { role: 'owner' } };

  expect((await put({ remove: [cy], memberships })).status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'owner', [bob]: 'owner' });
});

test('an existing member keeps the role when added again', async () => {
  await putInTeam(organization, team, ada, 'owner');

  expect((await put({ add: [ada, ada, await getEmail(ada)] })).status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'owner' });
  expect(query('SELECT members FROM teams WHERE id = ?', team)).toEqual([{ members: 1 }]);
});

test('removing a member who is not in the team changes nothing', async () => {
  expect((await put({ remove: [bob] })).status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'member' });
});

test('an empty or missing body changes nothing', async () => {
  for (const body of [undefined, {}, { add: [], remove: [], memberships: {} }]) {
    expect((await put(body)).status).toBe(204);
  }
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'member' });
  expect(countChanges()).toBe(0);
});

test('names each user who is not a member by index, and changes nothing', async () => {
  const other = await platform().makeOrganization();
  const { email } = await json<{ email: string }>('/v1/user', other);

  const response = await put({
    add: [bob, 'nobody@example.test', other.user],
    remove: [ada, email],
    memberships: { usr_madeup: { role: 'owner' }, [cy]: { role: 'owner' } },
  });

  expect(response.status).toBe(400);
  const message = 'must be a member of the organization';
  expect(await response.json()).toMatchObject({
    error: {
      type: 'invalid',
      issues: [
        { path: 'body.add.1', message },
        { path: 'body.add.2', message },
        { path: 'body.remove.1', message },
        { path: 'body.memberships.usr_madeup', message },
      ],
    },
  });
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'member' });
  expect(countChanges()).toBe(0);
});

test.each([
  [{ add: 'usr_x' }],
  [{ add: ['not an id!'] }],
  [{ add: ["x'@example.test OR 1=1"] }],
  [{ memberships: { usr_x: { role: 'admin' } } }],
  [{ memberships: { usr_x: 'owner' } }],
  [{ memberships: [] }],
  [{ add: Array(1001).fill('usr_x') }],
  [
    {
      memberships: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`usr_${index}`, { role: 'owner' }])),
    },
  ],
])('rejects a body that is not a valid list of users', async (body) => {
  expect((await put(body)).status).toBe(400);
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'member' });
});

test('allows owners of the team, rejects its members, and returns 404 to guests outside of it', async () => {
  const [owner, member, visitor] = [
    await makeMember(organization, guest),
    await makeMember(organization, 'create'),
    await makeMember(organization, guest),
  ];
  await put({ add: [member.user], memberships: { [owner.user]: { role: 'owner' } } });

  expect((await put({ memberships: { [member.user]: { role: 'owner' } } }, member.token)).status).toBe(403);
  expect((await put({ add: [visitor.user] }, visitor.token)).status).toBe(404);
  expect((await put({ add: [bob], remove: [member.user] }, owner.token)).status).toBe(204);
  expect(await readTeamRoles(organization, team)).toEqual({ [ada]: 'member', [bob]: 'member', [owner.user]: 'owner' });
});

test('concurrent changes are applied as a whole, and the counters match the members', async () => {
  const bodies = Array.from({ length: 24 }, (_, index) => {
    const some = [ada, bob, cy].slice(index % 3);
    return index % 2 === 0 ? { add: some, memberships: { [bob]: { role: 'owner' } } } : { remove: some, add: [cy] };
  });

  const statuses = (await Promise.all(bodies.map((body) => put(body)))).map(({ status }) => status);

  expect(statuses).toEqual(Array(24).fill(204));
  const inTeam = Object.keys(await readTeamRoles(organization, team));
  expect(query('SELECT members FROM teams WHERE id = ?', team)).toEqual([{ members: inTeam.length }]);
  for (const user of [ada, bob, cy]) {
    expect(await getMember(organization, user)).toMatchObject({ teams: inTeam.includes(user) ? 1 : 0 });
  }
});
