import {
  actingMember,
  after,
  joinActingMember,
  limitedRole,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
  spaceJoins,
  spaceRank,
  spaces,
  spaceWithRoleRow,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { decodeSiblingCursor } from './cursor.ts';

const { position } = aliasedTable(spaces, 's');
const listedRow = selection({ ...spaceWithRoleRow.fields, position, ...lookedAt });

export const listSpacesInCollectionById: Handler<
  typeof content.listSpacesInCollectionById,
  ContentEnvironment
> = async ({ query: { page, limit } }, { db, collection, actor, urls }) => {
  const cursor = decodeSiblingCursor(page);
  const found = lookThrough({
    columns: listedRow.with({ role: spaceRank(actingMember(actor)) }),
    from: sql`FROM spaces s ${joinActingMember(sql`${collection.organization}`, actor)} ${spaceJoins}
        WHERE s.organization = ${collection.organization} AND s.parent = ${collection.id} AND s.deleted_at IS NULL
          AND ${after(cursor, sql`s.position`, sql`s.id`, 'asc')}`,
    order: sql`s.position, s.id`,
    matches: sql`${listedRow.names.role} > 0`,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ space, role }) => presentSpace(space, limitedRole(actor, role), urls),
    cursorOf: ({ space, position }) => [position, space.id],
  });
};
