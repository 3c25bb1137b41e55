import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { json } from '../support/content.ts';
import { makeMember } from '../support/people.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { getSharedIdentity } from '../support/sign-in.ts';
import type { Resource, Walk } from './walk.ts';

interface Listed {
  items: Resource[];
}

interface TeamMembers {
  items: { organization: { id: string }; team: { role: string } }[];
}

async function walkSettings(walk: Walk, { id, token }: TestOrganization): Promise<void> {
  const ids = { organizationId: id };
  const mine = await walk.call<Listed>('listOrganizationsForAuthenticatedUser');
  expect(mine.items.map((each) => each.id)).toContain(id);
  const domain = `otters-${randomInt(2 ** 40)}.test`;
  const changes = { title: 'Otters', emailDomains: [domain], defaultRole: 'read', inviteLinks: true, ai: false };
  expect(await walk.call('updateOrganizationById', { ids, body: changes })).toMatchObject(changes);
  expect(await walk.call('getOrganizationById', { ids })).toMatchObject({ id, title: 'Otters' });
  await walk.call('getOrganizationsForEmailDomain', { ids: { emailDomain: domain } });
  const claims = await walk.call('updateOrganizationMemberLastSeenAt', { ids });
  expect(claims.serviceVisitorClaims).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const invite = await json<Resource>(`/v1/orgs/${id}/link-invites`, { token, body: { role: 'read' } });
  await walk.call('deleteOrganizationInviteById', { ids: { ...ids, inviteId: invite.id } });
}

async function walkMembers(walk: Walk, organization: TestOrganization): Promise<void> {
  await platform().makeSpace({ organization });
  const { user: userId } = await makeMember(organization, 'edit');
  const ids = { organizationId: organization.id, userId };
  const listed = await walk.call<Listed>('listMembersInOrganizationById', { ids, query: '?role=edit&sort=joinedAt' });
  expect(listed.items.map(({ id }) => id)).toEqual([userId]);
  expect(await walk.call('getMemberInOrganizationById', { ids })).toEqual(listed.items[0]);
  const changed = await walk.call('updateMemberInOrganizationById', { ids, body: { role: 'review' } });
  expect(changed).toMatchObject({ id: userId, role: 'review' });
  expect(await walk.call('setUserAsSSOMemberForOrganization', { ids })).toMatchObject({ id: userId, sso: true });
  const { items } = await walk.call<{ items: { permission: string }[] }>('listSpacesForOrganizationMember', { ids });
  expect(new Set(items.map(({ permission }) => permission))).toEqual(new Set(['review']));
  await walkTeams(walk, organization, userId);
  await walk.call('removeMemberFromOrganizationById', { ids });
}

async function walkTeams(walk: Walk, organization: TestOrganization, userId: string): Promise<void> {
  const owner = { organizationId: organization.id };
  const body = { title: 'Swimmers', members: [userId] };
  const { id: teamId } = await walk.call('createOrganizationTeam', { ids: owner, body });
  const ids = { ...owner, userId, teamId };
  const listMembers = async () => (await walk.call<TeamMembers>('listTeamMembersInOrganizationById', { ids })).items;
  expect(await walk.call('getTeamInOrganizationById', { ids })).toMatchObject({ id: teamId, members: 1 });
  expect(await walk.call('updateTeamInOrganizationById', { ids, body: { title: 'Divers' } })).toMatchObject({
    title: 'Divers',
  });
  const teams = await walk.call<Listed>('listTeamsInOrganizationById', { ids, query: '?title=dive' });
  expect(teams.items.map(({ id }) => id)).toEqual([teamId]);
  await walk.call('addMemberToOrganizationTeamById', { ids, body: { role: 'owner' } });
  expect(await listMembers()).toMatchObject([{ organization: { id: userId }, team: { role: 'owner' } }]);
  const theirs = await walk.call<{ items: Resource[] }>('listTeamsForOrganizationMember', { ids });
  expect(theirs.items).toMatchObject([{ team: { id: teamId }, member: { role: 'owner' } }]);
  const change = { add: [organization.user], remove: [], memberships: { [userId]: { role: 'member' } } };
  await walk.call('updateMembersInOrganizationTeam', { ids, body: change });
  expect(await listMembers()).toHaveLength(2);
  await walk.call('deleteMemberFromOrganizationTeamById', { ids });
  expect(await listMembers()).toMatchObject([{ organization: { id: organization.user } }]);
  await walk.call('removeTeamFromOrganizationById', { ids });
}

async function walkSso(walk: Walk, { id }: TestOrganization): Promise<void> {
  const owner = { organizationId: id };
  const settings = {
    label: 'Okta',
    ssoURL: 'https://idp.test/sso',
    entityID: 'https://idp.test/metadata',
    certificate: getSharedIdentity().certificate,
  };
  const provider = await walk.call('createOrganizationSAMLProvider', { ids: owner, body: settings });
  expect(provider).toMatchObject({ label: 'Okta', ssoURL: settings.ssoURL, status: 'active' });
  const ids = { ...owner, samlProviderId: provider.id };
  expect(await walk.call('getOrganizationSAMLProviderById', { ids })).toEqual(provider);
  const changed = await walk.call('updateOrganizationSAMLProvider', { ids, body: { label: 'Entra' } });
  expect(changed).toMatchObject({ id: provider.id, label: 'Entra' });
  const { items } = await walk.call<Listed>('listSAMLProvidersInOrganizationById', { ids });
  expect(items).toEqual([changed]);
  const logins = await walk.call<Listed>('listSSOProviderLoginsInOrganization', { ids });
  expect(logins.items).toMatchObject([{ id: provider.id, label: 'Entra' }]);
  await walk.call('deleteOrganizationSAMLProvider', { ids });
}

async function walkTranslations(walk: Walk, { id }: TestOrganization): Promise<void> {
  const owner = { organizationId: id };
  const translation = await walk.call('createTranslationSettings', { ids: owner, body: { title: 'Languages' } });
  const ids = { ...owner, translationSettingsId: translation.id };
  expect(await walk.call('getTranslationSettings', { ids })).toEqual(translation);
  const changed = await walk.call('updateTranslationSettings', { ids, body: { title: 'More languages' } });
  expect(changed).toMatchObject({ id: translation.id, title: 'More languages', languages: [] });
  expect((await walk.call<Listed>('listTranslationSettings', { ids })).items).toEqual([changed]);
  await walk.call('deleteTranslationSettings', { ids });
}

/** Walks the operations on an organization: settings, members, SSO and translations. */
export async function walkOrganization(walk: Walk, organization: TestOrganization): Promise<void> {
  await walkSettings(walk, organization);
  await walkMembers(walk, organization);
  await walkSso(walk, organization);
  await walkTranslations(walk, organization);
}
