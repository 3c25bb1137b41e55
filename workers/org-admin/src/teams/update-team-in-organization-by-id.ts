import { onlyRow, teamRow, teams } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from './present-team.ts';
import { writeTeam } from './write-team.ts';

export const updateTeamInOrganizationById: Handler<
  typeof orgAdmin.updateTeamInOrganizationById,
  OrgAdminEnvironment
> = async ({ body: { title } }, context) => {
  const { db, team, organization, membership, actor } = context;
  const update = db.update(teams).set({ title }).where(sql`id = ${team.id} AND organization = ${organization.id}`);
  const changed = teamRow.query(sql`
    SELECT ${teamRow} FROM teams t LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${actor.id}
    WHERE t.id = ${team.id}`);
  const rows = await writeTeam(context, { type: 'team.updated' }, () => ({ update, changed }));
  return presentTeam(onlyRow(rows.changed), membership);
};
