import {
  after,
  countedMembership,
  decodeCursor,
  isActive,
  members,
  membershipRow,
  organizationRow,
  paginate,
  readRows,
  selection,
  showsOrganization,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentOrganization } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const listedRow = selection({
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  joinedAt: aliasedTable(members, 'm').joinedAt,
});

export const listOrganizationsForAuthenticatedUser: Handler<
  typeof orgAdmin.listOrganizationsForAuthenticatedUser,
  OrgAdminEnvironment
> = async ({ query }, { db, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const boundTo = sql`${actor.organization}`;
  const found = listedRow.query(sql`
    SELECT ${listedRow.with({ membership: { active: isActive(boundTo) } })}
    FROM members m CROSS JOIN organizations o ON o.id = m.organization
    WHERE m.user = ${actor.id} AND ${showsOrganization(boundTo)} AND ${after(cursor, sql`m.joined_at`, sql`m.organization`)}
    ORDER BY m.joined_at DESC, m.organization DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, found), query.limit, {
    item: ({ organization, membership }) =>
      presentOrganization(organization, countedMembership(actor, membership), urls),
    cursorOf: ({ joinedAt, organization }) => [joinedAt, organization.id],
  });
};
