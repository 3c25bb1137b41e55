import { decodeCursor, isNamed, memberRow, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { branchOf } from '../discussion/branch.ts';
import type { CollaborationEnvironment } from '../environment.ts';

/** Those who left are left out; guests, who cannot list members, find only themselves. By their ids. */
export const listCommenters: Handler<Served<typeof collaboration, 'listCommenters'>, CollaborationEnvironment> = async (
  { query },
  context,
) => {
  const { db, space, actor, isGuest, urls } = context;
  const cursor = decodeCursor(query.page, ['string']);
  const commenters = memberRow.query(sql`
    SELECT ${memberRow} FROM contributors k
    CROSS JOIN members m ON m.organization = ${space.organization} AND m.user = k.user CROSS JOIN users u ON u.id = k.user
    WHERE k.branch = ${branchOf(context)} AND k.action = 'comment' AND k.space = ${space.id} AND ${isNamed(sql`k.user`)}
      AND ${isGuest ? sql`k.user = ${actor.id}` : sql`1`} AND k.user > ${cursor?.[0] ?? ''}
    ORDER BY k.user LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, commenters), query.limit, {
    item: (member) => presentMember(member, urls),
    cursorOf: ({ user }) => [user.id],
  });
};
