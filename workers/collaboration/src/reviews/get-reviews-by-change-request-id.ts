import type { Row } from '@octavo/db';
import { after, decodeCursor, lookThrough, number, paginateMatches, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReview, reviewColumns, reviewJoins } from './review-record.ts';

export const getReviewsByChangeRequestId: Handler<
  typeof collaboration.getReviewsByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, { db, space, changeRequest, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(
    lookThrough({
      columns: reviewColumns,
      from: sql`FROM ${reviewJoins} WHERE rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}
        AND ${after(cursor, sql`rv.created_at`, sql`rv.id`)}`,
      order: sql`rv.created_at DESC, rv.id DESC`,
      matches: query.outdated === undefined ? undefined : sql`review_outdated = ${query.outdated ? 1 : 0}`,
      limit: query.limit,
    }),
  );
  return paginateMatches(rows, query.limit, {
    item: (row) => presentReview(row, urls),
    cursorOf: (row) => [number(row, 'review_created_at'), text(row, 'review_id')],
  });
};
