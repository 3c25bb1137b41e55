import type { Membership, TeamRecord } from '@octavo/db';
import type { Team } from '@octavo/schema';
import { organizationPermissions, teamPermissions, timestamp } from '@octavo/schema';

/** Presents a team to a member of its organization; the record has the role of that member in the team. */
export const presentTeam = (team: TeamRecord, { role, ownsTeam }: Pick<Membership, 'role' | 'ownsTeam'>): Team => ({
  object: 'team',
  id: team.id,
  title: team.title,
  members: team.members,
  spaces: team.spaces,
  createdAt: timestamp(team.createdAt),
  permissions: teamPermissions(organizationPermissions(role, ownsTeam), team.ownRole),
});
