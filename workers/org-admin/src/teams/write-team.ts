import type { Row, RowsOf, Statements } from '@octavo/db';
import { CommitConflict, must } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

type TeamContext = Pick<
  Context<typeof orgAdmin.updateTeamInOrganizationById, OrgAdminEnvironment>,
  'db' | 'organization' | 'team' | 'commit'
>;

/** Commits what happens to a team with its event, and gives the rows of the statements. @throws ApiError not_found */
export async function writeTeam<Given extends Statements>(
  { db, organization, team, commit }: TeamContext,
  type: 'team.updated' | 'team.deleted' | 'team.members_changed',
  statements: Given,
): Promise<RowsOf<Given>> {
  const isThere = sql`EXISTS (SELECT 1 FROM teams WHERE id = ${team.id} AND organization = ${organization.id})`;
  const event = { type, organization: organization.id, data: { team: team.id } };
  try {
    return (await commit({ isThere: must(db, isThere), statements }, [event])).statements;
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    const [state] = await db.all<Row>(sql`SELECT ${isThere} AS is_there`);
    throw state?.is_there === 0 ? notFound('team') : error;
  }
}
