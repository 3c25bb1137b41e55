import type { Handlers } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { getOrganizationAuditEvent } from './audit-events/get-organization-audit-event.ts';
import { listOrganizationAuditEvents } from './audit-events/list-organization-audit-events.ts';
import type { OrgAdminEnvironment } from './environment.ts';
import { createOrganizationInvite } from './invites/create-organization-invite.ts';
import { deleteOrganizationInviteById } from './invites/delete-organization-invite-by-id.ts';
import { getOrganizationInviteLink } from './invites/get-organization-invite-link.ts';
import { inviteUsersToOrganization } from './invites/invite-users-to-organization.ts';
import { joinOrganization } from './invites/join-organization.ts';
import { joinOrganizationWithInvite } from './invites/join-organization-with-invite.ts';
import { listOrganizationInviteLinks } from './invites/list-organization-invite-links.ts';
import { updateOrganizationInviteById } from './invites/update-organization-invite-by-id.ts';
import { disableMemberInOrganization } from './members/disable-member-in-organization.ts';
import { enableMemberInOrganization } from './members/enable-member-in-organization.ts';
import { getMemberInOrganizationById } from './members/get-member-in-organization-by-id.ts';
import { listMembersInOrganizationById } from './members/list-members-in-organization-by-id.ts';
import { listSpacesForOrganizationMember } from './members/list-spaces-for-organization-member.ts';
import { listTeamsForOrganizationMember } from './members/list-teams-for-organization-member.ts';
import { removeMemberFromOrganizationById } from './members/remove-member-from-organization-by-id.ts';
import { setUserAsSSOMemberForOrganization } from './members/set-user-as-sso-member-for-organization.ts';
import { updateMemberInOrganizationById } from './members/update-member-in-organization-by-id.ts';
import { updateOrganizationMemberLastSeenAt } from './members/update-organization-member-last-seen-at.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { getOrganizationById } from './organizations/get-organization-by-id.ts';
import { getOrganizationsForEmailDomain } from './organizations/get-organizations-for-email-domain.ts';
import { getSubdomain } from './organizations/get-subdomain.ts';
import { listOrganizationsForAuthenticatedUser } from './organizations/list-organizations-for-authenticated-user.ts';
import { updateOrganizationById } from './organizations/update-organization-by-id.ts';
import { inviteToCollection } from './permissions/invite-to-collection.ts';
import { inviteToSpace } from './permissions/invite-to-space.ts';
import { listPermissionsAggregateInCollection } from './permissions/list-permissions-aggregate-in-collection.ts';
import { listPermissionsAggregateInSpace } from './permissions/list-permissions-aggregate-in-space.ts';
import { listTeamPermissionsInCollection } from './permissions/list-team-permissions-in-collection.ts';
import { listTeamPermissionsInSpace } from './permissions/list-team-permissions-in-space.ts';
import { listUserPermissionsInCollection } from './permissions/list-user-permissions-in-collection.ts';
import { listUserPermissionsInSpace } from './permissions/list-user-permissions-in-space.ts';
import { removeTeamFromCollection } from './permissions/remove-team-from-collection.ts';
import { removeTeamFromSpace } from './permissions/remove-team-from-space.ts';
import { removeUserFromCollection } from './permissions/remove-user-from-collection.ts';
import { removeUserFromSpace } from './permissions/remove-user-from-space.ts';
import { updateTeamPermissionInCollection } from './permissions/update-team-permission-in-collection.ts';
import { updateTeamPermissionInSpace } from './permissions/update-team-permission-in-space.ts';
import { updateUserPermissionInCollection } from './permissions/update-user-permission-in-collection.ts';
import { updateUserPermissionInSpace } from './permissions/update-user-permission-in-space.ts';
import { searchOrganizationContent } from './search/search-organization-content.ts';
import { createServiceAccount } from './service-accounts/create-service-account.ts';
import { createServiceAccountToken } from './service-accounts/create-service-account-token.ts';
import { deleteServiceAccountToken } from './service-accounts/delete-service-account-token.ts';
import { listServiceAccountTokens } from './service-accounts/list-service-account-tokens.ts';
import { listServiceAccounts } from './service-accounts/list-service-accounts.ts';
import { createOrganizationSAMLProvider } from './sso/create-organization-saml-provider.ts';
import { deleteOrganizationSAMLProvider } from './sso/delete-organization-saml-provider.ts';
import { getOrganizationSAMLProviderById } from './sso/get-organization-saml-provider-by-id.ts';
import { listSAMLProvidersInOrganizationById } from './sso/list-saml-providers-in-organization-by-id.ts';
import { listSSOProviderLoginsInOrganization } from './sso/list-sso-provider-logins-in-organization.ts';
import { updateOrganizationSAMLProvider } from './sso/update-organization-saml-provider.ts';
import { addMemberToOrganizationTeamById } from './teams/add-member-to-organization-team-by-id.ts';
import { createOrganizationTeam } from './teams/create-organization-team.ts';
import { deleteMemberFromOrganizationTeamById } from './teams/delete-member-from-organization-team-by-id.ts';
import { getTeamInOrganizationById } from './teams/get-team-in-organization-by-id.ts';
import { listTeamMembersInOrganizationById } from './teams/list-team-members-in-organization-by-id.ts';
import { listTeamsInOrganizationById } from './teams/list-teams-in-organization-by-id.ts';
import { removeTeamFromOrganizationById } from './teams/remove-team-from-organization-by-id.ts';
import { updateMembersInOrganizationTeam } from './teams/update-members-in-organization-team.ts';
import { updateTeamInOrganizationById } from './teams/update-team-in-organization-by-id.ts';
import { createOrUpdateTranslationLanguage } from './translations/create-or-update-translation-language.ts';
import { createTranslationSettings } from './translations/create-translation-settings.ts';
import { deleteTranslationLanguage } from './translations/delete-translation-language.ts';
import { deleteTranslationSettings } from './translations/delete-translation-settings.ts';
import { getTranslationLanguage } from './translations/get-translation-language.ts';
import { getTranslationSettings } from './translations/get-translation-settings.ts';
import { listTranslationLanguages } from './translations/list-translation-languages.ts';
import { listTranslationSettings } from './translations/list-translation-settings.ts';
import { updateTranslationSettings } from './translations/update-translation-settings.ts';
import { createUserToken } from './users/create-user-token.ts';
import { deleteUserToken } from './users/delete-user-token.ts';
import { getAuthenticatedUser } from './users/get-authenticated-user.ts';
import { getUserById } from './users/get-user-by-id.ts';
import { listUserTokens } from './users/list-user-tokens.ts';
import { updateUserById } from './users/update-user-by-id.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof orgAdmin, OrgAdminEnvironment> = {
  getOrganizationAuditEvent,
  listOrganizationAuditEvents,
  createOrganizationInvite,
  deleteOrganizationInviteById,
  getOrganizationInviteLink,
  inviteUsersToOrganization,
  joinOrganizationWithInvite,
  joinOrganization,
  listOrganizationInviteLinks,
  updateOrganizationInviteById,
  disableMemberInOrganization,
  enableMemberInOrganization,
  getMemberInOrganizationById,
  listMembersInOrganizationById,
  listSpacesForOrganizationMember,
  listTeamsForOrganizationMember,
  removeMemberFromOrganizationById,
  setUserAsSSOMemberForOrganization,
  updateMemberInOrganizationById,
  updateOrganizationMemberLastSeenAt,
  createOrganization,
  getOrganizationById,
  getOrganizationsForEmailDomain,
  getSubdomain,
  listOrganizationsForAuthenticatedUser,
  updateOrganizationById,
  inviteToCollection,
  inviteToSpace,
  listPermissionsAggregateInCollection,
  listPermissionsAggregateInSpace,
  listTeamPermissionsInCollection,
  listTeamPermissionsInSpace,
  listUserPermissionsInCollection,
  listUserPermissionsInSpace,
  removeTeamFromCollection,
  removeTeamFromSpace,
  removeUserFromCollection,
  removeUserFromSpace,
  updateTeamPermissionInCollection,
  updateTeamPermissionInSpace,
  updateUserPermissionInCollection,
  updateUserPermissionInSpace,
  searchOrganizationContent,
  createServiceAccountToken,
  createServiceAccount,
  deleteServiceAccountToken,
  listServiceAccountTokens,
  listServiceAccounts,
  createOrganizationSAMLProvider,
  deleteOrganizationSAMLProvider,
  getOrganizationSAMLProviderById,
  listSAMLProvidersInOrganizationById,
  listSSOProviderLoginsInOrganization,
  updateOrganizationSAMLProvider,
  addMemberToOrganizationTeamById,
  createOrganizationTeam,
  deleteMemberFromOrganizationTeamById,
  getTeamInOrganizationById,
  listTeamMembersInOrganizationById,
  listTeamsInOrganizationById,
  removeTeamFromOrganizationById,
  updateMembersInOrganizationTeam,
  updateTeamInOrganizationById,
  createOrUpdateTranslationLanguage,
  createTranslationSettings,
  deleteTranslationLanguage,
  deleteTranslationSettings,
  getTranslationLanguage,
  getTranslationSettings,
  listTranslationLanguages,
  listTranslationSettings,
  updateTranslationSettings,
  createUserToken,
  deleteUserToken,
  getAuthenticatedUser,
  getUserById,
  listUserTokens,
  updateUserById,
};
