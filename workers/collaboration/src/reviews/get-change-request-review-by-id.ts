import type { Row } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReview, reviewColumns, reviewJoins } from './review-record.ts';

export const getChangeRequestReviewById: Handler<
  typeof collaboration.getChangeRequestReviewById,
  CollaborationEnvironment
> = async ({ params }, { db, space, changeRequest, urls }) => {
  const [row] = await db.all<Row>(sql`SELECT ${reviewColumns} FROM ${reviewJoins}
    WHERE rv.id = ${params.reviewId} AND rv.change_request = ${changeRequest.id} AND rv.space = ${space.id}`);
  if (row === undefined) throw notFound('review');
  return presentReview(row, urls);
};
