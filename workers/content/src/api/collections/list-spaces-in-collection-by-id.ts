import type { Row } from '@octavo/db';
import {
  actingMember,
  after,
  joinActingMember,
  lookThrough,
  paginateMatches,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { presentSeen } from '../../engine/placing/present-seen.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { decodeSiblingCursor } from './cursor.ts';

export const listSpacesInCollectionById: Handler<
  typeof content.listSpacesInCollectionById,
  ContentEnvironment
> = async ({ query }, { db, collection, actor, urls }) => {
  const cursor = decodeSiblingCursor(query.page);
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${spaceColumns}, s.position AS space_position, ${spaceRank(actingMember(actor))} AS role_rank`,
      from: sql`FROM spaces s ${joinActingMember(sql`${collection.organization}`, actor)} ${spaceJoins}
        WHERE s.organization = ${collection.organization} AND s.parent = ${collection.id} AND s.deleted_at IS NULL
          AND ${after(cursor, sql`s.position`, sql`s.id`, 'asc')}`,
      order: sql`s.position, s.id`,
      matches: sql`role_rank > 0`,
      limit: query.limit,
    }),
  );
  return paginateMatches(rows, query.limit, {
    item: (row) => presentSeen(row, urls),
    cursorOf: (row) => [text(row, 'space_position'), text(row, 'space_id')],
  });
};
