import type { Row } from '@octavo/db';
import { after, decodeCursor, number, organizationColumns, paginate, readOrganization, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin, Role } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentOrganization } from './present-organization.ts';

export const listOrganizationsForAuthenticatedUser: Handler<
  typeof orgAdmin.listOrganizationsForAuthenticatedUser,
  OrgAdminEnvironment
> = async ({ query }, { db, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(sql`
    SELECT ${organizationColumns}, m.role AS member_role, m.joined_at AS member_joined_at,
      EXISTS (SELECT 1 FROM team_members tm WHERE tm.user = m.user AND tm.organization = o.id AND tm.role = 'owner') AS owns_team
    FROM members m CROSS JOIN organizations o ON o.id = m.organization
    WHERE m.user = ${actor.id} AND NOT m.disabled AND ${after(cursor, sql`m.joined_at`, sql`m.organization`)}
    ORDER BY m.joined_at DESC, m.organization DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) =>
      presentOrganization(
        readOrganization(row),
        { role: row.member_role as Role | null, active: true, ownsTeam: row.owns_team === 1 },
        urls,
      ),
    cursorOf: (row) => [number(row, 'member_joined_at'), text(row, 'organization_id')],
  });
};
