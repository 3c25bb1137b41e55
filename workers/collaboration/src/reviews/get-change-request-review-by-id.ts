import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { commentsOf, presentReview, reviewJoins, reviewRow } from './review-record.ts';

export const getChangeRequestReviewById: Handler<
  typeof collaboration.getChangeRequestReviewById,
  CollaborationEnvironment
> = async ({ params, query }, context) => {
  const { db, space, changeRequest } = context;
  const found = reviewRow.query(sql`SELECT ${reviewRow} FROM ${reviewJoins}
    WHERE rv.id = ${params.reviewId} AND rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}`);
  const review = await readRow(db, found);
  if (review === undefined) throw notFound('review');
  return presentReview(review, await commentsOf([review], query.format, context), context);
};
