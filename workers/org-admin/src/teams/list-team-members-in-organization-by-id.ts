import { after, decodeCursor, memberRow, paginate, readRows, selection, teamMembers } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { organizationPermissions } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const tm = aliasedTable(teamMembers, 'tm');
const listedRow = selection({ member: memberRow.fields, role: tm.role, joinedAt: tm.joinedAt });

/** The newest in the team first. A guest, who may not list the members of the organization, is shown no addresses. */
export const listTeamMembersInOrganizationById: Handler<
  typeof orgAdmin.listTeamMembersInOrganizationById,
  OrgAdminEnvironment
> = async ({ query: { page, limit } }, { db, team, organization, membership, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const { listMembers } = organizationPermissions(membership.role, membership.ownsTeam);
  const found = listedRow.query(sql`
    SELECT ${listedRow}
    FROM team_members tm INDEXED BY team_members_by_joining
    CROSS JOIN members m ON m.organization = tm.organization AND m.user = tm.user
    CROSS JOIN users u ON u.id = m.user
    WHERE tm.team = ${team.id} AND tm.organization = ${organization.id}
      AND ${after(cursor, sql`tm.joined_at`, sql`tm.user`)}
    ORDER BY tm.joined_at DESC, tm.user DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(db, found), limit, {
    item: ({ member, role }) => ({
      organization: presentMember(member, urls, { email: listMembers }),
      team: { role },
      permissions: { view: true },
    }),
    cursorOf: ({ member, joinedAt }) => [joinedAt, member.user.id],
  });
};
