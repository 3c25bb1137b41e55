import { after, decodeCursor, memberRow, paginate, readRows, selection, users } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const accountRow = selection({ member: memberRow.fields, createdAt: aliasedTable(users, 'u').createdAt });

export const listServiceAccounts: Handler<typeof orgAdmin.listServiceAccounts, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const found = accountRow.query(sql`
    SELECT ${accountRow}
    FROM users u CROSS JOIN members m ON m.organization = u.service_of AND m.user = u.id
    WHERE u.service_of = ${organization.id} AND ${after(cursor, sql`u.created_at`, sql`u.id`)}
    ORDER BY u.created_at DESC, u.id DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, found), query.limit, {
    item: ({ member }) => presentMember(member, urls),
    cursorOf: ({ createdAt, member }) => [createdAt, member.user.id],
  });
};
