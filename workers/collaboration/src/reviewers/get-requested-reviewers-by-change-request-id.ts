import type { Row } from '@octavo/db';
import { after, decodeCursor, number, paginate, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentRequest, requestColumns, requestJoins } from './requested-reviewer.ts';

export const getRequestedReviewersByChangeRequestId: Handler<
  typeof collaboration.getRequestedReviewersByChangeRequestId,
  CollaborationEnvironment
> = async ({ query }, { db, space, changeRequest, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(sql`SELECT ${requestColumns} FROM ${requestJoins}
    WHERE q.change_request = ${changeRequest.id} AND q.space = ${space.id}
      AND ${after(cursor, sql`q.created_at`, sql`q.subject`)}
    ORDER BY q.created_at DESC, q.subject DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentRequest(row, urls),
    cursorOf: (row) => [number(row, 'request_created_at'), text(row, 'request_subject')],
  });
};
