import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentRequest, requestJoins, requestRow } from './requested-reviewer.ts';

export const getRequestedReviewersByChangeRequestId: Handler<
  typeof collaboration.getRequestedReviewersByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, context) => {
  const { db, space, changeRequest } = context;
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const requests = requestRow.query(sql`SELECT ${requestRow} FROM ${requestJoins}
    WHERE q.change_request = ${changeRequest.id} AND q.space = ${space.id}
      AND ${after(cursor, sql`q.created_at`, sql`q.subject`)}
    ORDER BY q.created_at DESC, q.subject DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, requests), query.limit, {
    item: (request) => presentRequest(request, context),
    cursorOf: ({ createdAt, subject }) => [createdAt, subject],
  });
};
