import type { Row } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { commentsOf, presentReview, reviewColumns, reviewJoins } from './review-record.ts';

export const getChangeRequestReviewById: Handler<
  typeof collaboration.getChangeRequestReviewById,
  CollaborationEnvironment
> = async ({ params, query }, context) => {
  const { db, space, changeRequest } = context;
  const [row] = await db.all<Row>(sql`SELECT ${reviewColumns} FROM ${reviewJoins}
    WHERE rv.id = ${params.reviewId} AND rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}`);
  if (row === undefined) throw notFound('review');
  return presentReview(row, await commentsOf([row], query.format, context), context);
};
