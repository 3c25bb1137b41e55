import {
  after,
  decodeCursor,
  given,
  listedFor,
  listingMember,
  lookedAt,
  lookThrough,
  maybe,
  paginateMatches,
  readRows,
  selection,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { orgAdmin, Role } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const reachedRow = selection({ ...spaceWithRoleRow.fields, permission: maybe(given(roleOfRank)), ...lookedAt });
const { space: listed, role: seen, permission: reached } = reachedRow.names;

/** The spaces that the member reaches and the caller sees, with the member's role there and the caller's permissions. */
export const listSpacesForOrganizationMember: Handler<
  typeof orgAdmin.listSpacesForOrganizationMember,
  OrgAdminEnvironment
> = async ({ query: { page, limit, order } }, { db, organization, membership, member, actor, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const theirs = listingMember(member.user.id, member.role, !member.disabled);
  const found = lookThrough({
    columns: reachedRow.with({
      permission: spaceRank(theirs),
      role: spaceRank(listingMember(actor.id, membership.role)),
    }),
    from: sql`FROM ${listedFor('spaces', sql`${organization.id}`, theirs)} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND ${after(cursor, sql`s.created_at`, sql`s.id`, order)}`,
    order: order === 'desc' ? sql`s.created_at DESC, s.id DESC` : sql`s.created_at, s.id`,
    matches: sql`${reached} > 0 AND ${seen} > 0 AND ${listed.deletedAt} IS NULL`,
    limit,
  });
  return paginateMatches(await readRows(db, reachedRow.query(found)), limit, {
    item: ({ space, role, permission }) => ({
      permission: requireRole(permission),
      space: presentSpace(space, role, urls),
    }),
    cursorOf: ({ space }) => [space.createdAt, space.id],
  });
};

function requireRole(role: Role | null): Role {
  if (role === null) throw new TypeError('A row holds no space that is reached.');
  return role;
}
