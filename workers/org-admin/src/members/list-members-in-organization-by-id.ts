import {
  after,
  contains,
  decodeCursor,
  isNamed,
  lookedAt,
  lookThrough,
  memberRow,
  paginateMatches,
  readRows,
  selection,
} from '@octavo/db';
import type { Handler, HandlerInput } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const listedRow = selection({ member: memberRow.fields, ...lookedAt });
const listed = listedRow.names.member;

type Listing = typeof orgAdmin.listMembersInOrganizationById;

export const listMembersInOrganizationById: Handler<Listing, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const { role, search, sort, order, limit } = query;
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const time = sort === 'joinedAt' ? sql`m.joined_at` : sql`m.last_seen_at`;
  const found = lookThrough({
    columns: listedRow.getSQL(),
    from: sql`FROM members m INDEXED BY ${indexOf(query)} CROSS JOIN users u ON u.id = m.user
        WHERE m.organization = ${organization.id} AND ${isNamed(sql`m.user`)} AND ${time} IS NOT NULL ${role === undefined ? sql`` : hasRole(role)}
          AND ${after(cursor, time, sql`m.user`, order)}`,
    order: order === 'desc' ? sql`${time} DESC, m.user DESC` : sql`${time}, m.user`,
    matches: search ? contains([listed.user.displayName, listed.user.email], search) : undefined,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ member }) => presentMember(member, urls),
    cursorOf: ({ member }) => [member[sort] ?? 0, member.user.id],
  });
};

type Query = HandlerInput<Listing>['query'];

/** Fixed, so that the planner never reads another index and sorts. */
const indexOf = ({ sort, role }: Query): SQL => {
  if (sort === 'joinedAt') return role === undefined ? sql`members_by_joining` : sql`members_by_role`;
  return role === undefined ? sql`members_seen` : sql`members_seen_by_role`;
};

const hasRole = (role: NonNullable<Query['role']>): SQL =>
  role === 'guest' ? sql`AND m.role IS NULL` : sql`AND m.role = ${role}`;
