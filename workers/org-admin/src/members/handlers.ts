import { disableMemberInOrganization } from './disable-member-in-organization.ts';
import { enableMemberInOrganization } from './enable-member-in-organization.ts';
import { getMemberInOrganizationById } from './get-member-in-organization-by-id.ts';
import { listMembersInOrganizationById } from './list-members-in-organization-by-id.ts';
import { listSpacesForOrganizationMember } from './list-spaces-for-organization-member.ts';
import { listTeamsForOrganizationMember } from './list-teams-for-organization-member.ts';
import { removeMemberFromOrganizationById } from './remove-member-from-organization-by-id.ts';
import { setUserAsSSOMemberForOrganization } from './set-user-as-sso-member-for-organization.ts';
import { updateMemberInOrganizationById } from './update-member-in-organization-by-id.ts';
import { updateOrganizationMemberLastSeenAt } from './update-organization-member-last-seen-at.ts';

export const membersHandlers = {
  listMembersInOrganizationById,
  getMemberInOrganizationById,
  updateMemberInOrganizationById,
  removeMemberFromOrganizationById,
  disableMemberInOrganization,
  enableMemberInOrganization,
  updateOrganizationMemberLastSeenAt,
  setUserAsSSOMemberForOrganization,
  listSpacesForOrganizationMember,
  listTeamsForOrganizationMember,
};
