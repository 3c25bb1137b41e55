import { teams } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { writeTeam } from './write-team.ts';

export const removeTeamFromOrganizationById: Handler<
  typeof orgAdmin.removeTeamFromOrganizationById,
  OrgAdminEnvironment
> = async (_, context) => {
  const { db, team, organization } = context;
  const remove = db.delete(teams).where(sql`id = ${team.id} AND organization = ${organization.id}`);
  await writeTeam(context, 'team.deleted', [remove]);
  return undefined;
};
