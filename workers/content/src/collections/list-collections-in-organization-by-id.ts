import type { CollectionRecord, Row } from '@octavo/db';
import {
  after,
  collectionColumns,
  collectionRank,
  mayViewCollection,
  paginate,
  reachedByGuest,
  readCollection,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { decodeSiblingCursor } from '../siblings/cursor.ts';

export const listCollectionsInOrganizationById: Handler<
  typeof content.listCollectionsInOrganizationById,
  ContentEnvironment
> = async ({ query }, { db, organization: { id }, membership, actor, urls }) => {
  const cursor = decodeSiblingCursor(query.page);
  const organization = sql`${id}`;
  const member = { user: sql`${actor.id}`, role: sql`${membership.role}`, active: sql`1` };
  const source =
    membership.role === null
      ? sql`(${reachedByGuest(organization, member)}) reached CROSS JOIN collections c ON c.id = reached.id`
      : sql`collections c`;
  // Whoever sees a collection without a rank on it is on the way to something inside of it.
  const rows = await db.all<Row>(sql`
    SELECT seen.*, COALESCE(collection_rank, 0) = 0 AS collection_on_the_way FROM (
      SELECT ${collectionColumns}, ${collectionRank(member)} AS collection_rank FROM ${source}
      WHERE c.organization = ${organization} AND c.deleted_at IS NULL AND ${query.nested ? sql`1` : sql`c.parent IS NULL`}
        AND ${after(cursor, sql`c.position`, sql`c.id`, 'asc')} AND ${mayViewCollection(organization, member)}
      ORDER BY c.position, c.id LIMIT ${query.limit + 1}) seen`);
  return paginate(rows.map(seen), query.limit, {
    item: (collection) => presentCollection(collection, urls),
    cursorOf: (collection) => [collection.position, collection.id],
  });
};

function seen(row: Row): CollectionRecord {
  const collection = readCollection(row);
  if (collection === undefined) throw new Error('A list of collections gave a row without one.');
  return collection;
}
