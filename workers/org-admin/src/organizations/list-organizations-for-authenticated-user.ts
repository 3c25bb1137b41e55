import type { Row } from '@octavo/db';
import {
  after,
  decodeCursor,
  membershipColumns,
  number,
  organizationColumns,
  paginate,
  readMembership,
  readOrganization,
  showsOrganization,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentOrganization } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

export const listOrganizationsForAuthenticatedUser: Handler<
  typeof orgAdmin.listOrganizationsForAuthenticatedUser,
  OrgAdminEnvironment
> = async ({ query }, { db, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const boundTo = sql`${actor.organization}`;
  const rows = await db.all<Row>(sql`
    SELECT ${organizationColumns}, ${membershipColumns(boundTo)}, m.joined_at AS member_joined_at
    FROM members m CROSS JOIN organizations o ON o.id = m.organization
    WHERE m.user = ${actor.id} AND ${showsOrganization(boundTo)} AND ${after(cursor, sql`m.joined_at`, sql`m.organization`)}
    ORDER BY m.joined_at DESC, m.organization DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentOrganization(readOrganization(row), readMembership(row), urls),
    cursorOf: (row) => [number(row, 'member_joined_at'), text(row, 'organization_id')],
  });
};
