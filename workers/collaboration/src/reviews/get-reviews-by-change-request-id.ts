import type { Row } from '@octavo/db';
import { after, decodeCursor, lookThrough, number, paginate, paginateMatches, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { commentsOf, presentReview, reviewColumns, reviewJoins } from './review-record.ts';

export const getReviewsByChangeRequestId: Handler<
  typeof collaboration.getReviewsByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, context) => {
  const { db, space, changeRequest } = context;
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
  const cursorOf = (row: Row) => [number(row, 'review_created_at'), text(row, 'review_id')];
  const { items, ...page } = paginateMatches(rows, query.limit, { item: (row) => row, cursorOf });
  const comments = await commentsOf(items, query.format, context);
  const item = (row: Row) => presentReview(row, comments, context);
  const isMissing = ({ review_comment: comment }: Row) => comment !== null && !comments.has(String(comment));
  const cut = items.findIndex(isMissing);
  if (cut <= 0) return { ...page, items: items.map(item) };
  // What does not fit one answer comes with the next page.
  return paginate(items.slice(0, cut), query.limit, { item, cursorOf, end: items[cut - 1] });
};
