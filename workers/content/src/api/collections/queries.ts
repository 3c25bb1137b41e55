import type { CallerRecord, Check, CollectionRecord, Cursor } from '@octavo/db';
import {
  collectionRank,
  createCursorError,
  decodeCursor,
  joinActingMember,
  spaceRank,
  toActingMember,
} from '@octavo/db';
import { notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** The collection is not deleted when it is written, and still of the organization it was read in. */
export const createExistenceCheck = ({ id, organization }: CollectionRecord): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
  createError: () => notFound('collection'),
});

/** The rank of `create`. */
const leastRank = sql.raw('5');

/** What decides by itself, whatever the collection around it gives. All else has the rank of that collection. */
const hasOwnAccess = (alias: 'c' | 's'): SQL => {
  const x = sql.raw(alias);
  return sql`(${x}.default_level IS NOT NULL OR EXISTS (SELECT 1 FROM grants given WHERE given.object = ${x}.id))`;
};

/**
 * The actor holds at least `create` on the collection and on all that is inside of it: nobody takes along or throws away
 * what others keep from them. `inside` selects the ids of the collections, `which` says which of their spaces count.
 */
export function createManagementCheck(
  { id, organization }: CollectionRecord,
  actor: CallerRecord,
  { inside, which }: { inside: SQL; which: SQL },
): Check {
  const member = toActingMember(actor);
  const unmanagedCollection = sql`SELECT 1 FROM (${inside}) i CROSS JOIN collections c ON c.id = i.id
    WHERE (c.id = ${id} OR ${hasOwnAccess('c')}) AND COALESCE(${collectionRank(member)}, 0) < ${leastRank}`;
  const unmanagedSpace = sql`SELECT 1 FROM (${inside}) i CROSS JOIN spaces s ON s.parent = i.id
    WHERE ${which} AND ${hasOwnAccess('s')} AND COALESCE(${spaceRank(member)}, 0) < ${leastRank}`;
  return {
    condition: sql`EXISTS (
      SELECT 1 FROM (SELECT 1) ${joinActingMember(sql`${organization}`, actor)}
      WHERE ${member.active} AND (m.role IS 'admin' OR (NOT EXISTS (${unmanagedCollection}) AND NOT EXISTS (${unmanagedSpace}))))`,
    createError: () => preconditionFailed('The collection contains content that you do not manage.'),
  };
}

/**
 * A SELECT of the ids of a collection and of all collections nested in it that are not deleted. What is looked up by
 * them compares `+organization`, so that no index of the organization is read instead.
 */
export const selectLiveCollections = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id} AND deleted_at IS NULL
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = inside.id AND c.deleted_at IS NULL
  )
  SELECT id FROM inside`;

/** The same with the deleted ones, which trashed spaces still hang on. */
export const selectCollections = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id}
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent ON c.parent = inside.id
  )
  SELECT id FROM inside`;

/** Reads a cursor of a list in the order of siblings: position and id. @throws ApiError invalid */
export function decodeSiblingCursor(page: string | undefined): Cursor | undefined {
  const cursor = decodeCursor(page, ['string', 'string']);
  if (cursor !== undefined && !/^(?:col|spc)_/.test(String(cursor[1]))) throw createCursorError();
  return cursor;
}
