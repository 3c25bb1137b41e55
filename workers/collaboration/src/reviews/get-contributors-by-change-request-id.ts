import type { RecordOf } from '@octavo/db';
import { after, badCursor, contributors, decodeCursor, paginate, readRows, selection, userRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { Contributor, collaboration } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { presentPerson } from '../discussion/posted.ts';
import type { CollaborationEnvironment } from '../environment.ts';

const c = aliasedTable(contributors, 'c');
const contributorRow = selection({ action: c.action, count: c.count, updatedAt: c.updatedAt, user: userRow.fields });

/** In the order of the table's key, backwards: who edited, then who commented. */
export const getContributorsByChangeRequestId: Handler<
  typeof collaboration.getContributorsByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, context) => {
  const { db, space, changeRequest } = context;
  const cursor = decodeCursor(query.page, ['string', 'string']);
  if (cursor !== undefined && cursor[0] !== 'edit' && cursor[0] !== 'comment') throw badCursor();
  const found = contributorRow.query(sql`
    SELECT ${contributorRow}
    FROM contributors c CROSS JOIN users u ON u.id = c.user
    WHERE c.branch = ${changeRequest.id} AND c.space = ${space.id} AND ${after(cursor, sql`c.action`, sql`c.user`)}
    ORDER BY c.action DESC, c.user DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, found), query.limit, {
    item: (contributor) => presentContributor(contributor, context),
    cursorOf: ({ action, user }) => [action, user.id],
  });
};

const presentContributor = (
  { user, action, count, updatedAt }: RecordOf<typeof contributorRow>,
  context: BranchContext,
): Contributor => ({
  user: presentPerson(user, context),
  actionType: action,
  count,
  updatedAt: timestamp(updatedAt),
});
