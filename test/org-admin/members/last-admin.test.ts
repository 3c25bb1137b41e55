import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { makeMember } from '../../support/people.ts';
import { platform, type TestUser } from '../../support/platform.ts';

const getAdmins = (organization: string) =>
  query("SELECT user FROM members WHERE organization = ? AND role = 'admin' AND NOT disabled", organization).length;

const getMemberPath = (organization: string, user: string, end = '') =>
  `/v1/orgs/${organization}/members/${user}${end}`;

const ways = {
  demote: (organization: string, user: string, token: string) =>
    platform().request(getMemberPath(organization, user), { token, method: 'PATCH', body: { role: 'read' } }),
  remove: (organization: string, user: string, token: string) =>
    platform().request(getMemberPath(organization, user), { token, method: 'DELETE' }),
  disable: (organization: string, user: string, token: string) =>
    platform().request(getMemberPath(organization, user, '/disable'), { token, method: 'POST' }),
};

const rounds = Array.from({ length: 10 }, (_, round) => round);

test.each(Object.keys(ways) as (keyof typeof ways)[])(
  'one of two admins remains if they concurrently %s each other',
  async (way) => {
    for (const round of rounds) {
      const organization = await platform().makeOrganization();
      const other = await makeMember(organization, 'admin');

      const responses = await Promise.all([
        ways[way](organization.id, other.user, organization.token),
        ways[way](organization.id, organization.user, other.token),
      ]);

      const statuses = responses.map(({ status }) => status);
      expect([round, statuses.filter((status) => status < 300)]).toHaveProperty('1.length', 1);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      expect(getAdmins(organization.id)).toBe(1);
    }
  },
);

test('one admin remains if 25 admins are removed concurrently in different ways', async () => {
  const organization = await platform().makeOrganization();
  const admins: TestUser[] = [organization];
  while (admins.length < 25) admins.push(await makeMember(organization, 'admin'));
  const all = Object.values(ways);

  const removeAdmin = async ({ user, token }: TestUser, index: number) => {
    const way = all[index % all.length] ?? ways.remove;
    return (await way(organization.id, user, token)).status;
  };
  const statuses = await Promise.all(admins.map(removeAdmin));

  expect(statuses.filter((status) => status === 412)).toHaveLength(1);
  expect(statuses.filter((status) => status < 300)).toHaveLength(24);
  expect(getAdmins(organization.id)).toBe(1);
});

const server = platform();

test('a service account does not count as an admin', async () => {
  const organization = await server.makeOrganization();
  const { user } = await makeMember(organization, 'admin', server);
  await writeDatabase(server, "UPDATE users SET kind = 'service' WHERE id = ?", user);
  const { token } = organization;
  const demote = (who: string) =>
    server.request(getMemberPath(organization.id, who), { token, method: 'PATCH', body: { role: 'read' } });

  expect((await demote(organization.user)).status).toBe(412);
  expect((await demote(user)).status).toBe(200);
});

test('rejects the removal of the last admin who can sign in, even if an invited admin has never signed in', async () => {
  const { makeOrganization, request } = platform();
  const { id, token, user } = await makeOrganization();
  const emails = [{ email: `typo-${randomUUID()}@nowhere.test`, role: 'admin' }];
  await json(`/v1/orgs/${id}/invites`, { token, body: { emails, sso: true } });

  expect((await request(`/v1/orgs/${id}/members/${user}`, { token, method: 'DELETE' })).status).toBe(412);
  expect(
    (await request(`/v1/orgs/${id}/members/${user}`, { token, method: 'PATCH', body: { role: 'read' } })).status,
  ).toBe(412);
});

test('the operator cannot remove the last admin either', async () => {
  const { makeOrganization, dataDir } = platform();
  const { id, token, user } = await makeOrganization();
  const { email } = await json<{ email: string }>('/v1/user', { token });

  await expect(callOperator(dataDir, '/token', { email, organization: id, role: 'read' })).rejects.toThrow(/admin/);
  expect(await json(`/v1/orgs/${id}/members/${user}`, { token })).toMatchObject({ role: 'admin' });
});
