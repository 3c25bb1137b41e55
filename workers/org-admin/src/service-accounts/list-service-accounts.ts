import type { MemberRecord, Row } from '@octavo/db';
import { after, decodeCursor, memberColumns, number, paginate, readMember, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

export const listServiceAccounts: Handler<typeof orgAdmin.listServiceAccounts, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(sql`
    SELECT ${memberColumns('m', 'u')}, u.created_at AS user_created_at
    FROM users u CROSS JOIN members m ON m.organization = u.service_of AND m.user = u.id
    WHERE u.service_of = ${organization.id} AND ${after(cursor, sql`u.created_at`, sql`u.id`)}
    ORDER BY u.created_at DESC, u.id DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentMember(readAccount(row), urls),
    cursorOf: (row) => [number(row, 'user_created_at'), text(row, 'user_id')],
  });
};

function readAccount(row: Row): MemberRecord {
  const member = readMember(row);
  if (member === undefined) throw new Error('A list of service accounts gave a row without one.');
  return member;
}
