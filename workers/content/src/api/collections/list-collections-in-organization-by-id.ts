import type { CollectionRecord, Row } from '@octavo/db';
import {
  after,
  collectionColumns,
  collectionRank,
  isOnTheWay,
  listedFor,
  listingMember,
  lookThrough,
  paginateMatches,
  readCollection,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { decodeSiblingCursor } from './cursor.ts';

export const listCollectionsInOrganizationById: Handler<
  typeof content.listCollectionsInOrganizationById,
  ContentEnvironment
> = async ({ query }, { db, organization: { id }, membership, actor, urls }) => {
  const cursor = decodeSiblingCursor(query.page);
  const organization = sql`${id}`;
  const member = listingMember(actor.id, membership.role);
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${collectionColumns}, ${collectionRank(member)} AS collection_rank`,
      from: sql`FROM ${listedFor('collections', organization, member)}
        WHERE c.organization = ${organization} AND c.deleted_at IS NULL AND ${query.nested ? sql`1` : sql`c.parent IS NULL`}
          AND ${after(cursor, sql`c.position`, sql`c.id`, 'asc')}`,
      order: sql`c.position, c.id`,
      matches: sql`(collection_rank > 0 OR ${isOnTheWay(sql`collection_id`, organization, member)})`,
      limit: query.limit,
    }),
  );
  return paginateMatches(rows, query.limit, {
    item: (row) => presentCollection(seen(row), urls),
    cursorOf: (row) => [text(row, 'collection_position'), text(row, 'collection_id')],
  });
};

/** Whoever sees a collection without a rank on it is on the way to something inside of it. */
function seen(row: Row): CollectionRecord {
  const collection = readCollection({ ...row, collection_on_the_way: row.collection_rank ? 0 : 1 });
  if (collection === undefined) throw new Error('A list of collections gave a row without one.');
  return collection;
}
