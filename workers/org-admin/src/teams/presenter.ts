import type { Membership, TeamRecord } from '@octavo/db';
import type { Team } from '@octavo/schema';
import { formatTimestamp, getOrganizationPermissions, getTeamPermissions } from '@octavo/schema';

/** Presents a team to a member of its organization; the record has the role of that member in the team. */
export const presentTeam = (team: TeamRecord, { role, ownsTeam }: Pick<Membership, 'role' | 'ownsTeam'>): Team => ({
  object: 'team',
  id: team.id,
  title: team.title,
  members: team.members,
  spaces: team.spaces,
  createdAt: formatTimestamp(team.createdAt),
  permissions: getTeamPermissions(getOrganizationPermissions(role, ownsTeam), team.ownRole),
});
