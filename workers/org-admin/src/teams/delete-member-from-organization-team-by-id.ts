import { teamMembers } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { writeTeam } from './write-team.ts';

export const deleteMemberFromOrganizationTeamById: Handler<
  typeof orgAdmin.deleteMemberFromOrganizationTeamById,
  OrgAdminEnvironment
> = async (_, context) => {
  const { db, team, member } = context;
  const place = sql`team = ${team.id} AND user = ${member.user.id}`;
  const isIn = {
    holds: sql`EXISTS (SELECT 1 FROM team_members WHERE ${place})`,
    otherwise: () => notFound('member'),
  };
  const remove = db.delete(teamMembers).where(place);
  await writeTeam(context, { type: 'team.members_changed', checks: [isIn] }, () => [remove]);
  return undefined;
};
