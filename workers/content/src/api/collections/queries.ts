import type { CallerRecord, Check, CollectionRecord, Cursor } from '@octavo/db';
import {
  createCursorError,
  decodeCursor,
  joinActingMember,
  selectCollectionRank,
  selectSpaceRank,
  toActingMember,
} from '@octavo/db';
import { notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Checks that the collection still exists and still belongs to the organization in which it was read. */
export const createExistenceCheck = ({ id, organization }: CollectionRecord): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
  createError: () => notFound('collection'),
});

/** The rank of the role `create`. */
const leastRank = sql.raw('5');

/**
 * Returns the SQL condition that the object has its own default level or grants. Otherwise, its rank equals the rank of
 * its collection.
 */
const hasOwnAccess = (alias: 'c' | 's'): SQL => {
  const x = sql.raw(alias);
  return sql`(${x}.default_level IS NOT NULL OR EXISTS (SELECT 1 FROM grants given WHERE given.object = ${x}.id))`;
};

/**
 * Checks that the actor has at least `create` on the collection and everything inside of it, so that no actor moves or
 * deletes content that is hidden from them. `inside` selects the ids of the collections; `condition` is a condition on
 * their spaces.
 */
export function createManagementCheck(
  { id, organization }: CollectionRecord,
  actor: CallerRecord,
  { inside, condition }: { inside: SQL; condition: SQL },
): Check {
  const member = toActingMember(actor);
  const unmanagedCollection = sql`SELECT 1 FROM (${inside}) i CROSS JOIN collections c ON c.id = i.id
    WHERE (c.id = ${id} OR ${hasOwnAccess('c')}) AND COALESCE(${selectCollectionRank(member)}, 0) < ${leastRank}`;
  const unmanagedSpace = sql`SELECT 1 FROM (${inside}) i CROSS JOIN spaces s ON s.parent = i.id
    WHERE ${condition} AND ${hasOwnAccess('s')} AND COALESCE(${selectSpaceRank(member)}, 0) < ${leastRank}`;
  return {
    condition: sql`EXISTS (
      SELECT 1 FROM (SELECT 1) ${joinActingMember(sql`${organization}`, actor)}
      WHERE ${member.active} AND (m.role IS 'admin' OR (NOT EXISTS (${unmanagedCollection}) AND NOT EXISTS (${unmanagedSpace}))))`,
    createError: () => preconditionFailed('The collection contains content that you do not manage.'),
  };
}

/** Decodes a cursor of a list in sibling order: position and id. @throws ApiError invalid */
export function decodeSiblingCursor(page: string | undefined): Cursor | undefined {
  const cursor = decodeCursor(page, ['string', 'string']);
  if (cursor !== undefined && !/^(?:col|spc)_/.test(String(cursor[1]))) throw createCursorError();
  return cursor;
}
