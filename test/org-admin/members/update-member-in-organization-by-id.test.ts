import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { getMember, guest, makeMember } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const patch = ({ id, token }: TestOrganization, user: string, body: unknown) =>
  platform().request(`/v1/orgs/${id}/members/${user}`, { token, method: 'PATCH', body });

test.each(['admin', 'create', 'review', 'edit', 'comment', 'read', null])('sets the role %s at once', async (role) => {
  const { makeOrganization } = platform();
  const organization = await makeOrganization();
  const member = await makeMember(organization, role === 'read' ? guest : 'read');

  const response = await patch(organization, member.user, { role });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(await getMember(organization, member.user));
  expect(await getMember(organization, member.user)).toMatchObject({ role });
  const seen = await json(`/v1/orgs/${organization.id}`, member);
  expect(seen).toMatchObject({ permissions: { admin: role === 'admin', listMembers: role !== null } });
  expect(query("SELECT data FROM outbox WHERE organization = ? AND type = 'member.updated'", organization.id)).toEqual([
    { data: JSON.stringify({ user: member.user }) },
  ]);
});

test('changes nothing without a role', async () => {
  const organization = await platform().makeOrganization();
  const before = await getMember(organization, organization.user);

  expect(await (await patch(organization, organization.user, {})).json()).toEqual(before);
});

test.each([{ role: 'guest' }, { role: 'owner' }, { role: 7 }, { role: ['read'] }, [], 'read'])(
  'rejects %j',
  async (body) => {
    const organization = await platform().makeOrganization();
    const { user } = await makeMember(organization);

    expect((await patch(organization, user, JSON.stringify(body))).status).toBe(400);
    expect(await getMember(organization, user)).toMatchObject({ role: 'read' });
  },
);

test('changes only the role, whatever the body contains', async () => {
  const organization = await platform().makeOrganization();
  const { user } = await makeMember(organization);
  const before = await getMember(organization, user);
  const foreign = {
    id: organization.user,
    user: { id: organization.user, email: 'mine@example.test', displayName: 'Mine' },
    disabled: true,
    sso: true,
    joinedAt: '2020-01-01T00:00:00.000Z',
    lastSeenAt: '2020-01-01T00:00:00.000Z',
    spaces: 99,
    teams: 99,
  };
  const others = { ...foreign, organization: 'org_mine', joined_at: 1, kind: 'service' };

  expect((await patch(organization, user, { ...others, role: 'admin' })).status).toBe(400);
  const after = await (await patch(organization, user, { ...foreign, role: 'edit' })).json();

  expect(after).toEqual({ ...before, role: 'edit' });
  expect(await getMember(organization, user)).toEqual(after);
  expect(query('SELECT kind FROM users WHERE id = ?', user)).toEqual([{ kind: 'person' }]);
});

test("requires an admin, even for a change of one's own role", async () => {
  const organization = await platform().makeOrganization();
  const creator = await makeMember(organization, 'create');

  expect((await patch({ ...organization, token: creator.token }, creator.user, { role: 'admin' })).status).toBe(403);
  expect(await getMember(organization, creator.user)).toMatchObject({ role: 'create' });
});

test('does not demote the last admin', async () => {
  const organization = await platform().makeOrganization();

  for (const role of ['create', null]) {
    const response = await patch(organization, organization.user, { role });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ error: { type: 'precondition_failed' } });
  }
  expect((await patch(organization, organization.user, { role: 'admin' })).status).toBe(200);
  expect(await getMember(organization, organization.user)).toMatchObject({ role: 'admin' });
});

test('a disabled admin does not count as the last one', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  const { user } = await makeMember(organization, 'admin');
  const path = `/v1/orgs/${organization.id}/members/${user}/disable`;
  expect((await request(path, { token: organization.token, method: 'POST' })).status).toBe(200);

  expect((await patch(organization, organization.user, { role: 'read' })).status).toBe(412);
  expect((await patch(organization, user, { role: 'read' })).status).toBe(200);
});

test('an admin cannot change a member of another organization', async () => {
  const { makeOrganization } = platform();
  const [own, other] = [await makeOrganization(), await makeOrganization()];

  expect((await patch(own, other.user, { role: 'read' })).status).toBe(404);
  expect((await patch({ ...other, token: own.token }, other.user, { role: 'read' })).status).toBe(404);
});
