import { addMemberToOrganizationTeamById } from './add-member-to-organization-team-by-id.ts';
import { createOrganizationTeam } from './create-organization-team.ts';
import { deleteMemberFromOrganizationTeamById } from './delete-member-from-organization-team-by-id.ts';
import { getTeamInOrganizationById } from './get-team-in-organization-by-id.ts';
import { listTeamMembersInOrganizationById } from './list-team-members-in-organization-by-id.ts';
import { listTeamsInOrganizationById } from './list-teams-in-organization-by-id.ts';
import { removeTeamFromOrganizationById } from './remove-team-from-organization-by-id.ts';
import { updateMembersInOrganizationTeam } from './update-members-in-organization-team.ts';
import { updateTeamInOrganizationById } from './update-team-in-organization-by-id.ts';

export const teamsHandlers = {
  listTeamsInOrganizationById,
  createOrganizationTeam,
  getTeamInOrganizationById,
  updateTeamInOrganizationById,
  removeTeamFromOrganizationById,
  listTeamMembersInOrganizationById,
  updateMembersInOrganizationTeam,
  addMemberToOrganizationTeamById,
  deleteMemberFromOrganizationTeamById,
};
