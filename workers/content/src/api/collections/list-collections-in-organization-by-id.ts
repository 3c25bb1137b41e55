import {
  after,
  collectionRank,
  collectionRow,
  isOnTheWay,
  listedFor,
  listingMember,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { decodeSiblingCursor } from './cursor.ts';

const listedRow = selection({ collection: collectionRow.fields, ...lookedAt });
const { collection: listed } = listedRow.names;

export const listCollectionsInOrganizationById: Handler<
  typeof content.listCollectionsInOrganizationById,
  ContentEnvironment
> = async ({ query: { page, limit, nested } }, { db, organization: { id }, membership, actor, urls }) => {
  const cursor = decodeSiblingCursor(page);
  const organization = sql`${id}`;
  const member = listingMember(actor.id, membership.role);
  const found = lookThrough({
    columns: sql`${listedRow.with({ collection: { role: collectionRank(member) } })}, 0 AS ${listed.onTheWay}`,
    from: sql`FROM ${listedFor('collections', organization, member)}
        WHERE c.organization = ${organization} AND c.deleted_at IS NULL AND ${nested ? sql`1` : sql`c.parent IS NULL`}
          AND ${after(cursor, sql`c.position`, sql`c.id`, 'asc')}`,
    order: sql`c.position, c.id`,
    matches: sql`(${listed.role} > 0 OR ${isOnTheWay(listed.id, organization, member)})`,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    // Whoever sees a collection without a role on it is on the way to something inside of it.
    item: ({ collection }) => presentCollection({ ...collection, onTheWay: collection.role === null }, urls),
    cursorOf: ({ collection }) => [collection.position, collection.id],
  });
};
