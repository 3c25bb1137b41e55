import { after, decodeCursor, paginate, tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { desc, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentToken } from './present-token.ts';

export const listUserTokens: Handler<typeof orgAdmin.listUserTokens, OrgAdminEnvironment> = async (
  { query },
  { db, actor },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db
    .select()
    .from(tokens)
    .where(sql`${tokens.user} = ${actor.id} AND ${after(cursor, sql`created_at`, sql`id`)}`)
    .orderBy(desc(tokens.createdAt), desc(tokens.id))
    .limit(query.limit + 1);
  return paginate(rows, query.limit, { item: presentToken, cursorOf: (row) => [row.createdAt, row.id] });
};
