import { after, decodeCursor, lookedAt, lookThrough, paginate, paginateMatches, readRows, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import type { ReviewRecord } from './review-record.ts';
import { commentsOf, presentReview, reviewJoins, reviewRow } from './review-record.ts';

const listedRow = selection({ ...reviewRow.fields, ...lookedAt });

export const getReviewsByChangeRequestId: Handler<
  typeof collaboration.getReviewsByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, context) => {
  const { db, space, changeRequest } = context;
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const found = lookThrough({
    columns: listedRow.getSQL(),
    from: sql`FROM ${reviewJoins} WHERE rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}
        AND ${after(cursor, sql`rv.created_at`, sql`rv.id`)}`,
    order: sql`rv.created_at DESC, rv.id DESC`,
    matches: query.outdated === undefined ? undefined : sql`${listedRow.names.outdated} = ${query.outdated ? 1 : 0}`,
    limit: query.limit,
  });
  const rows = await readRows(db, listedRow.query(found));
  const cursorOf = ({ createdAt, id }: ReviewRecord) => [createdAt, id];
  const { items, ...page } = paginateMatches(rows, query.limit, { item: (review) => review, cursorOf });
  const comments = await commentsOf(items, query.format, context);
  const item = (review: ReviewRecord) => presentReview(review, comments, context);
  const isMissing = ({ comment }: ReviewRecord) => comment !== null && !comments.has(comment);
  const cut = items.findIndex(isMissing);
  if (cut <= 0) return { ...page, items: items.map(item) };
  // What does not fit one answer comes with the next page.
  return paginate(items.slice(0, cut), query.limit, { item, cursorOf, end: items[cut - 1] });
};
