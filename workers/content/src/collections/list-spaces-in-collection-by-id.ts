import type { Row } from '@octavo/db';
import { actingMember, after, joinActingMember, paginate, spaceColumns, spaceJoins, spaceRank, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { decodeSiblingCursor } from '../siblings/cursor.ts';
import { presentSeen } from '../spaces/present-seen.ts';

export const listSpacesInCollectionById: Handler<
  typeof content.listSpacesInCollectionById,
  ContentEnvironment
> = async ({ query }, { db, collection, actor, urls }) => {
  const cursor = decodeSiblingCursor(query.page);
  const rows = await db.all<Row>(sql`
    SELECT * FROM (
      SELECT ${spaceColumns}, s.position AS space_position, ${spaceRank(actingMember(actor))} AS role_rank
      FROM spaces s ${joinActingMember(sql`${collection.organization}`, actor)} ${spaceJoins}
      WHERE s.organization = ${collection.organization} AND s.parent = ${collection.id} AND s.deleted_at IS NULL
        AND ${after(cursor, sql`s.position`, sql`s.id`, 'asc')}
      ORDER BY s.position, s.id)
    WHERE role_rank > 0 LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentSeen(row, urls),
    cursorOf: (row) => [text(row, 'space_position'), text(row, 'space_id')],
  });
};
