import type { Row, SpaceRecord } from '@octavo/db';
import {
  after,
  decodeCursor,
  listedFor,
  listingMember,
  lookThrough,
  number,
  paginateMatches,
  readSpace,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { orgAdmin, Role } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

/** The spaces that the member reaches and the caller sees, with the member's role there and the caller's permissions. */
export const listSpacesForOrganizationMember: Handler<
  typeof orgAdmin.listSpacesForOrganizationMember,
  OrgAdminEnvironment
> = async ({ query: { page, limit, order } }, { db, organization, membership, member, actor, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const theirs = listingMember(member.user.id, member.role, !member.disabled);
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${spaceColumns}, ${spaceRank(theirs)} AS permission_rank,
        ${spaceRank(listingMember(actor.id, membership.role))} AS role_rank`,
      from: sql`FROM ${listedFor('spaces', sql`${organization.id}`, theirs)} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND ${after(cursor, sql`s.created_at`, sql`s.id`, order)}`,
      order: order === 'desc' ? sql`s.created_at DESC, s.id DESC` : sql`s.created_at, s.id`,
      matches: sql`permission_rank > 0 AND role_rank > 0 AND space_deleted_at IS NULL`,
      limit,
    }),
  );
  return paginateMatches(rows, limit, {
    item: (row) => {
      const { space, role, permission } = reachedSpace(row);
      return { permission, space: presentSpace(space, role, urls) };
    },
    cursorOf: (row) => [number(row, 'space_created_at'), text(row, 'space_id')],
  });
};

function reachedSpace(row: Row): { space: SpaceRecord; role: Role | null; permission: Role } {
  const space = readSpace(row);
  const permission = roleOfRank(number(row, 'permission_rank'));
  if (space === undefined || permission === null) throw new TypeError('A row holds no space that is reached.');
  return { space, role: roleOfRank(number(row, 'role_rank')), permission };
}
