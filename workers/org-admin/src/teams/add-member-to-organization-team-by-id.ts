import { CommitConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { placeInTeam } from './team-membership.ts';
import { writeTeam } from './write-team.ts';

export const addMemberToOrganizationTeamById: Handler<
  typeof orgAdmin.addMemberToOrganizationTeamById,
  OrgAdminEnvironment
> = async ({ body: { role } }, context) => {
  const { db, team, organization, member } = context;
  const place = { team: team.id, organization: organization.id };
  try {
    await writeTeam(context, 'team.members_changed', placeInTeam(db, place, [{ user: member.user.id, role }]));
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('member') : error;
  }
  return undefined;
};
