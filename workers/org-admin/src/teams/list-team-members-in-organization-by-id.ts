import type { Row } from '@octavo/db';
import { after, decodeCursor, memberColumns, number, paginate, readKnownMember, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin, TeamRole } from '@octavo/schema';
import { organizationPermissions } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

/** The newest in the team first. A guest, who may not list the members of the organization, is shown no addresses. */
export const listTeamMembersInOrganizationById: Handler<
  typeof orgAdmin.listTeamMembersInOrganizationById,
  OrgAdminEnvironment
> = async ({ query: { page, limit } }, { db, team, organization, membership, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const { listMembers } = organizationPermissions(membership.role, membership.ownsTeam);
  const rows = await db.all<Row>(sql`
    SELECT ${memberColumns('m', 'u')}, tm.role AS team_role, tm.joined_at AS team_joined_at
    FROM team_members tm INDEXED BY team_members_by_joining
    CROSS JOIN members m ON m.organization = tm.organization AND m.user = tm.user
    CROSS JOIN users u ON u.id = m.user
    WHERE tm.team = ${team.id} AND tm.organization = ${organization.id}
      AND ${after(cursor, sql`tm.joined_at`, sql`tm.user`)}
    ORDER BY tm.joined_at DESC, tm.user DESC LIMIT ${limit + 1}`);
  return paginate(rows, limit, {
    item: (row) => ({
      organization: presentMember(readKnownMember(row), urls, { email: listMembers }),
      team: { role: text(row, 'team_role') as TeamRole },
      permissions: { view: true },
    }),
    cursorOf: (row) => [number(row, 'team_joined_at'), text(row, 'user_id')],
  });
};
