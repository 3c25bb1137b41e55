import type { Check, Database, Parameter, RowsOf, Statement, Statements } from '@octavo/db';
import {
  commitChecked,
  fromQuery,
  isListedUser,
  members,
  prepareQuery,
  readRows,
  selection,
  teamMembers,
  teamRow,
  teams,
} from '@octavo/db';
import type { Context } from '@octavo/runtime';
import type { Issue, OrganizationId, orgAdmin, TeamId, TeamRole, UserId } from '@octavo/schema';
import { invalid, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

/**
 * A user to put into a team. Without a role, current members keep their role, and new members get the role `member`.
 */
export interface Placement {
  user: UserId;
  role?: TeamRole | undefined;
}

interface TeamOfOrganization {
  team: TeamId;
  organization: OrganizationId;
}

const [t, mine] = [aliasedTable(teams, 't'), aliasedTable(teamMembers, 'mine')];

/** A team with the role of `reader` in it. */
export const teamById = prepareQuery(teamRow, (select, id: Parameter<TeamId>, reader: Parameter<UserId>) =>
  select
    .from(t)
    .leftJoin(mine, and(eq(mine.team, t.id), eq(mine.user, reader)))
    .where(eq(t.id, id)),
);

/** Whether all of the users are members of the organization. */
export const areMembers = (organization: OrganizationId, users: string[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${JSON.stringify(users)}) u
  WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.organization = ${organization} AND m.user = u.value AND ${isListedUser(sql`m.user`)}))`;

/**
 * Adds users to a team or changes their roles there. The batch must check that they are members of the organization.
 */
export function placeInTeam(
  db: Database,
  { team, organization }: TeamOfOrganization,
  memberPlacements: Placement[],
): Statement[] {
  const placementsJson = JSON.stringify(memberPlacements);
  const insert = sql`INSERT INTO team_members (team, user, organization, role, joined_at)
    SELECT ${team}, p.value->>'user', ${organization}, COALESCE(p.value->>'role', 'member'), ${Date.now()}
    FROM json_each(${placementsJson}) p`;
  return [
    db.run(sql`${insert} WHERE p.value->>'role' IS NULL ON CONFLICT (team, user) DO NOTHING`),
    db.run(
      sql`${insert} WHERE p.value->>'role' IS NOT NULL ON CONFLICT (team, user) DO UPDATE SET role = excluded.role`,
    ),
  ];
}

const foundRow = selection({ name: fromQuery(String), user: fromQuery(members.user) });

/**
 * Finds the ids of members by ids and e-mail addresses. Ids and addresses of non-members are left out, even if they
 * belong to a user.
 */
export async function findMembers(
  db: Database,
  organization: OrganizationId,
  names: string[],
): Promise<Map<string, string>> {
  const emails = names.filter((name) => name.includes('@'));
  const ids = names.filter((name) => !name.includes('@'));
  const selectMembers = foundRow.query(sql`
    SELECT n.value AS name, m.user AS user FROM json_each(${JSON.stringify(ids)}) n
    CROSS JOIN members m ON m.organization = ${organization} AND m.user = n.value AND ${isListedUser(sql`m.user`)}
    UNION ALL
    SELECT n.value, m.user FROM json_each(${JSON.stringify(emails)}) n
    CROSS JOIN users u ON u.email = n.value CROSS JOIN members m ON m.organization = ${organization} AND m.user = u.id
      AND ${isListedUser(sql`m.user`)}`);
  return new Map((await readRows(db, selectMembers)).map(({ name, user }) => [name, user]));
}

/**
 * Throws an error that lists the path of each non-member. `usersByPath` has ids or addresses by path. @throws ApiError
 * invalid
 */
export function requireMembers(membersById: Map<string, string>, usersByPath: Map<string, string>): void {
  const unknown: Issue[] = [...usersByPath]
    .filter(([, name]) => !membersById.has(name))
    .map(([path]) => ({ path, message: 'must be a member of the organization' }));
  if (unknown.length > 0) throw invalid(unknown);
}

type TeamContext = Pick<
  Context<typeof orgAdmin.updateTeamInOrganizationById, OrgAdminEnvironment>,
  'db' | 'organization' | 'team' | 'commit'
>;

interface Change {
  type: 'team.updated' | 'team.deleted' | 'team.members_changed';
  /** Additional checks, besides the check that the team exists. */
  checks?: Check[];
}

/** A single statement is not allowed: drizzle statements are thenable, so awaiting one would run it. */
type Batch = readonly Statement[] | { readonly [name: string]: Statements };

/**
 * Commits a change of a team with its event, and returns the rows of its statements. If the commit loses a race, the
 * statements are built again. @throws ApiError not_found
 */
export function writeTeam<Given extends Batch>(
  { db, organization, team, commit }: TeamContext,
  { type, checks = [] }: Change,
  statementsOf: () => Given | Promise<Given>,
): Promise<RowsOf<Given>> {
  const teamExists = sql`EXISTS (SELECT 1 FROM teams WHERE id = ${team.id} AND organization = ${organization.id})`;
  const event = { type, organization: organization.id, data: { team: team.id } };
  return commitChecked(
    db,
    [{ condition: teamExists, createError: () => notFound('team') }, ...checks],
    async (guards) => {
      const rows = await commit({ guards, statements: await statementsOf() }, [event]);
      return rows.statements;
    },
  );
}
