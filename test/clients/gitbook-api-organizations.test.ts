import { GitBookAPI, GitBookAPIError, MemberRole, TeamMemberRole } from '@gitbook/api';
import { beforeEach, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import type { TestOrganization, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

let organization: TestOrganization;
let reader: TestUser;
let client: GitBookAPI;
beforeEach(async () => {
  organization = await platform().makeOrganization();
  reader = await platform().makeUser({ organization: organization.id, role: 'read' });
  client = new GitBookAPI({ endpoint: platform().url, authToken: organization.token });
});

const getClient = ({ token }: TestUser) => new GitBookAPI({ endpoint: platform().url, authToken: token });

test('lists, reads and changes members', async () => {
  const { data: all } = await client.orgs.listMembersInOrganizationById(organization.id);
  expect(all.items.map(({ id }) => id).sort()).toEqual([organization.user, reader.user].sort());
  expect((await client.orgs.listMembersInOrganizationById(organization.id, { search: '%"\'😀' })).data.items).toEqual(
    [],
  );

  const { data: changed } = await client.orgs.updateMemberInOrganizationById(organization.id, reader.user, {
    role: MemberRole.Edit,
  });

  expect(changed).toMatchObject({ object: 'member', id: reader.user, role: 'edit' });
  expect((await client.orgs.getMemberInOrganizationById(organization.id, reader.user)).data).toEqual(changed);
  expect((await client.orgs.updateOrganizationMemberLastSeenAt(organization.id)).status).toBe(200);
});

test('creates a team, adds members and removes them', async () => {
  const { id } = organization;
  const { data: team } = await client.orgs.createOrganizationTeam(id, { title: 'Writers', members: [reader.user] });
  const readRoles = async () => {
    const { data } = await client.orgs.listTeamMembersInOrganizationById(id, team.id);
    return Object.fromEntries(data.items.map((item) => [item.organization.id, item.team.role]));
  };
  expect(await readRoles()).toEqual({ [reader.user]: 'member' });

  await client.orgs.addMemberToOrganizationTeamById(id, team.id, organization.user, {});
  await client.orgs.updateMembersInOrganizationTeam(id, team.id, {
    memberships: { [reader.user]: { role: TeamMemberRole.Owner } },
  });
  expect(await readRoles()).toEqual({ [reader.user]: 'owner', [organization.user]: 'member' });

  await client.orgs.updateMembersInOrganizationTeam(id, team.id, { remove: [organization.user] });
  expect(await readRoles()).toEqual({ [reader.user]: 'owner' });
  const { data: teams } = await client.orgs.listTeamsInOrganizationById(id);
  expect(teams.items).toMatchObject([{ object: 'team', id: team.id, title: 'Writers', members: 1 }]);
});

test('creates collections with a space, moves, changes and lists them', async () => {
  const { data: outer, status } = await client.orgs.createCollection(organization.id, { title: 'Outer' });
  expect(status).toBe(201);
  const { data: inner } = await client.orgs.createCollection(organization.id, { title: 'Inner' });
  const { data: space } = await client.orgs.createSpace(organization.id, { title: 'Space', parent: outer.id });

  const { data: moved } = await client.collections.moveCollection(inner.id, { parent: outer.id });
  const { data: changed } = await client.collections.updateCollectionById(outer.id, { title: 'Renamed' });

  expect(moved).toMatchObject({ object: 'collection', id: inner.id, parent: outer.id });
  expect((await client.collections.getCollectionById(outer.id)).data).toEqual(changed);
  expect((await client.collections.listSpacesInCollectionById(outer.id)).data.items).toMatchObject([{ id: space.id }]);
  const { data: top } = await client.orgs.listCollectionsInOrganizationById(organization.id, { nested: false });
  expect(top.items).toEqual([changed]);
});

test('grants, lists, changes and revokes permissions, and the error names a user who is not a member', async () => {
  const { data: space } = await client.orgs.createSpace(organization.id, { title: 'Shared' });
  expect((await client.spaces.inviteToSpace(space.id, { users: [reader.user], role: MemberRole.Edit })).status).toBe(
    204,
  );
  await client.spaces.updateUserPermissionInSpace(space.id, reader.user, { role: MemberRole.Review });

  const { data: given } = await client.spaces.listUserPermissionsInSpace(space.id);
  expect(given.items).toMatchObject([{ permission: 'review', user: { id: reader.user } }]);
  const { data: reached } = await client.spaces.listPermissionsAggregateInSpace(space.id, { role: MemberRole.Review });
  expect(reached.items).toMatchObject([{ permission: 'review', user: { id: reader.user } }]);
  const { data: spaces } = await client.orgs.listSpacesForOrganizationMember(organization.id, reader.user);
  expect(spaces.items).toMatchObject([{ permission: 'review', space: { id: space.id } }]);
  await client.spaces.removeUserFromSpace(space.id, reader.user);
  expect((await client.spaces.listUserPermissionsInSpace(space.id)).data.items).toEqual([]);

  const users = [reader.user, 'usr_nobody'];
  const refused = client.spaces.inviteToSpace(space.id, { users, role: null }).catch((error: unknown) => error);
  expect(await refused).toBeInstanceOf(GitBookAPIError);
  expect(await refused).toMatchObject({ code: 404, errorMessage: 'Member usr_nobody not found.' });
});

test('creates an invite link with which a user joins, and invites by e-mail', async () => {
  const { data: invite } = await client.orgs.createOrganizationInvite(organization.id, { role: MemberRole.Comment });
  expect((await client.orgs.listOrganizationInviteLinks(organization.id)).data.items).toMatchObject([
    { id: invite.id },
  ]);
  const joiner = await platform().makeUser();

  await getClient(joiner).orgs.joinOrganizationWithInvite(organization.id, invite.id);

  const { data: joined } = await client.orgs.getMemberInOrganizationById(organization.id, joiner.user);
  expect(joined).toMatchObject({ id: joiner.user, role: 'comment' });
  const emails = [`${joiner.user.toLowerCase()}@invited.test`];
  const { data: invited } = await client.orgs.inviteUsersToOrganization(organization.id, { emails });
  expect(invited).toMatchObject({ users: [expect.any(String)], invited: 1 });
});

test('creates, changes, lists and deletes a SAML provider', async () => {
  const { data: made } = await client.orgs.createOrganizationSamlProvider(organization.id, { label: 'Okta' });
  const { data: changed } = await client.orgs.updateOrganizationSamlProvider(organization.id, made.id, {
    label: 'Entra',
  });

  expect(changed).toMatchObject({ id: made.id, label: 'Entra' });
  const { data: all } = await client.orgs.listSamlProvidersInOrganizationById(organization.id);
  expect(all.items).toEqual([changed]);
  await client.orgs.deleteOrganizationSamlProvider(organization.id, made.id);
  expect((await client.orgs.listSamlProvidersInOrganizationById(organization.id)).data.items).toEqual([]);
});

test('lists, reads and deletes translations', async () => {
  const path = `/v1/orgs/${organization.id}/translations`;
  const { id } = await json<{ id: string }>(path, { token: organization.token, body: { title: 'French' } });

  const { data: all } = await client.orgs.listTranslations(organization.id);
  const { data: one } = await client.orgs.getTranslation(organization.id, id);

  expect(all.items).toMatchObject([{ id }]);
  expect(one).toEqual(all.items[0]);
  await client.orgs.deleteTranslation(organization.id, id);
  expect((await client.orgs.listTranslations(organization.id)).data.items).toEqual([]);
});
