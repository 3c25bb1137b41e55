import type { Row } from '@octavo/db';
import { after, decodeCursor, number, paginate, readUser, text, userColumns } from '@octavo/db';
import type { Handler, Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { Contributor, collaboration } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

/** In the order of the table's key, backwards: who edited, then who commented. */
export const getContributorsByChangeRequestId: Handler<
  typeof collaboration.getContributorsByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, { db, space, changeRequest, urls }) => {
  const cursor = decodeCursor(query.page, ['string', 'string']);
  const rows = await db.all<Row>(sql`
    SELECT c.action, c.count, c.updated_at, ${userColumns('u')}
    FROM contributors c CROSS JOIN users u ON u.id = c.user
    WHERE c.branch = ${changeRequest.id} AND c.space = ${space.id} AND ${after(cursor, sql`c.action`, sql`c.user`)}
    ORDER BY c.action DESC, c.user DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentContributor(row, urls),
    cursorOf: (row) => [text(row, 'action'), text(row, 'user_id')],
  });
};

const presentContributor = (row: Row, urls: Urls): Contributor => ({
  user: presentUser(readUser(row), urls),
  actionType: text(row, 'action') as Contributor['actionType'],
  count: number(row, 'count'),
  updatedAt: timestamp(number(row, 'updated_at')),
});
