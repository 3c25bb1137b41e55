import type { ChangeRequestRecord, Row } from '@octavo/db';
import { after, changeRequestColumns, changeRequestJoins, decodeCursor, paginate, readChangeRequest } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';

export const listChangeRequestsForSpace: Handler<
  typeof collaboration.listChangeRequestsForSpace,
  CollaborationEnvironment
> = async ({ query }, { db, space, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const contributor =
    query.contributor === undefined
      ? sql`1`
      : sql`EXISTS (SELECT 1 FROM revisions r WHERE r.branch = cr.id AND r.author = ${query.contributor})`;
  const rows = await db.all<Row>(sql`
    SELECT ${changeRequestColumns} FROM change_requests cr ${changeRequestJoins}
    WHERE cr.space = ${space.id} AND cr.status = ${query.status} AND ${contributor}
      AND ${after(cursor, sql`cr.created_at`, sql`cr.id`)}
    ORDER BY cr.created_at DESC, cr.id DESC LIMIT ${query.limit + 1}`);
  const records: ChangeRequestRecord[] = rows.flatMap((row) => readChangeRequest(row) ?? []);
  return paginate(records, query.limit, {
    item: (record) => presentChangeRequest(record, urls),
    cursorOf: (record) => [record.createdAt, record.id],
  });
};
