import type { Check, RowsOf, Statement, Statements } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

type TeamContext = Pick<
  Context<typeof orgAdmin.updateTeamInOrganizationById, OrgAdminEnvironment>,
  'db' | 'organization' | 'team' | 'commit'
>;

interface Change {
  type: 'team.updated' | 'team.deleted' | 'team.members_changed';
  /** What else must hold besides that the team is there. */
  checks?: Check[];
}

/** No statement of its own: drizzle's are thenable, and one that is awaited runs at once. */
type Batch = readonly Statement[] | { readonly [name: string]: Statements };

/**
 * Commits what happens to a team with its event, and gives the rows of the statements, which are asked for anew where a
 * race was lost. @throws ApiError not_found
 */
export function writeTeam<Given extends Batch>(
  { db, organization, team, commit }: TeamContext,
  { type, checks = [] }: Change,
  statementsOf: () => Given | Promise<Given>,
): Promise<RowsOf<Given>> {
  const isThere = sql`EXISTS (SELECT 1 FROM teams WHERE id = ${team.id} AND organization = ${organization.id})`;
  const event = { type, organization: organization.id, data: { team: team.id } };
  return commitChecked(db, [{ holds: isThere, otherwise: () => notFound('team') }, ...checks], async (guards) => {
    const rows = await commit({ guards, statements: await statementsOf() }, [event]);
    return rows.statements;
  });
}
