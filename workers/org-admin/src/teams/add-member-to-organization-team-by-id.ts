import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { areMembers, placeInTeam } from './team-membership.ts';
import { writeTeam } from './write-team.ts';

export const addMemberToOrganizationTeamById: Handler<
  typeof orgAdmin.addMemberToOrganizationTeamById,
  OrgAdminEnvironment
> = async ({ body: { role } }, context) => {
  const { db, team, organization, member } = context;
  const user = member.user.id;
  const isMember = { holds: areMembers(organization.id, [user]), otherwise: () => notFound('member') };
  await writeTeam(context, { type: 'team.members_changed', checks: [isMember] }, () =>
    placeInTeam(db, { team: team.id, organization: organization.id }, [{ user, role }]),
  );
  return undefined;
};
