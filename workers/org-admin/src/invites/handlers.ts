import { createOrganizationInvite } from './create-organization-invite.ts';
import { deleteOrganizationInviteById } from './delete-organization-invite-by-id.ts';
import { getOrganizationInviteLink } from './get-organization-invite-link.ts';
import { inviteUsersToOrganization } from './invite-users-to-organization.ts';
import { joinOrganization } from './join-organization.ts';
import { joinOrganizationWithInvite } from './join-organization-with-invite.ts';
import { listOrganizationInviteLinks } from './list-organization-invite-links.ts';
import { updateOrganizationInviteById } from './update-organization-invite-by-id.ts';

export const invitesHandlers = {
  inviteUsersToOrganization,
  listOrganizationInviteLinks,
  createOrganizationInvite,
  getOrganizationInviteLink,
  updateOrganizationInviteById,
  deleteOrganizationInviteById,
  joinOrganizationWithInvite,
  joinOrganization,
};
