import type { Membership, TeamRecord } from '@octavo/db';
import type { Team } from '@octavo/schema';
import { organizationPermissions, teamPermissions, timestamp } from '@octavo/schema';

/** A team as the member of its organization sees it whose role in the team the record carries. */
export const presentTeam = (team: TeamRecord, { role, ownsTeam }: Pick<Membership, 'role' | 'ownsTeam'>): Team => ({
  object: 'team',
  id: team.id,
  title: team.title,
  members: team.members,
  spaces: team.spaces,
  createdAt: timestamp(team.createdAt),
  permissions: teamPermissions(organizationPermissions(role, ownsTeam), team.ownRole),
});
