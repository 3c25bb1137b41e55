import type { RankedMember, Row, SpaceRecord } from '@octavo/db';
import {
  after,
  decodeCursor,
  number,
  paginate,
  reachedByGuest,
  readSpace,
  spaceColumns,
  spaceJoins,
  spaceRank,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { orgAdmin, Role } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

/** The spaces that the member reaches and the caller sees, with the member's role there and the caller's permissions. */
export const listSpacesForOrganizationMember: Handler<
  typeof orgAdmin.listSpacesForOrganizationMember,
  OrgAdminEnvironment
> = async ({ query: { page, limit, order } }, { db, organization, membership, member, actor, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const theirs = ranked(member.user.id, member.role, !member.disabled);
  const own = ranked(actor.id, membership.role, true);
  const from =
    member.role === null ? reached(organization.id, theirs) : sql`spaces s INDEXED BY spaces_of_organization`;
  const sorted = order === 'desc' ? sql`s.created_at DESC, s.id DESC` : sql`s.created_at, s.id`;
  const rows = await db.all<Row>(sql`
    SELECT * FROM (
      SELECT ${spaceColumns}, ${spaceRank(theirs)} AS permission_rank, ${spaceRank(own)} AS role_rank
      FROM ${from} ${spaceJoins}
      WHERE s.organization = ${organization.id} AND s.deleted_at IS NULL
        AND ${after(cursor, sql`s.created_at`, sql`s.id`, order)}
      ORDER BY ${sorted} LIMIT -1)
    WHERE permission_rank > 0 AND role_rank > 0 LIMIT ${limit + 1}`);
  return paginate(rows.map(reachedSpace), limit, {
    item: ({ space, role, permission }) => ({ permission, space: presentSpace(space, role, urls) }),
    cursorOf: ({ space }) => [space.createdAt, space.id],
  });
};
const ranked = (user: string, role: Role | null, active: boolean): RankedMember => ({
  user: sql`${user}`,
  role: sql`${role}`,
  active: active ? sql`1` : sql`0`,
});

/** What a guest was given, instead of everything that the organization has. */
const reached = (organization: string, guest: RankedMember): SQL =>
  sql`(${reachedByGuest(sql`${organization}`, guest)}) reached CROSS JOIN spaces s ON s.id = reached.id`;

function reachedSpace(row: Row): { space: SpaceRecord; role: Role | null; permission: Role } {
  const space = readSpace(row);
  const permission = roleOfRank(number(row, 'permission_rank'));
  if (space === undefined || permission === null) throw new TypeError('A row holds no space that is reached.');
  return { space, role: roleOfRank(number(row, 'role_rank')), permission };
}
