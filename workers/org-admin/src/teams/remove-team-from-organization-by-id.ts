import { deleteTeam } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { writeTeam } from './write-team.ts';

export const removeTeamFromOrganizationById: Handler<
  typeof orgAdmin.removeTeamFromOrganizationById,
  OrgAdminEnvironment
> = async (_, context) => {
  const { db, team, organization } = context;
  const remove = deleteTeam(db, { organization: organization.id, id: team.id });
  await writeTeam(context, { type: 'team.deleted' }, () => remove);
  return undefined;
};
