import type { Database, Row } from '@octavo/db';
import {
  after,
  collectionRank,
  decodeCursor,
  lookThrough,
  number,
  paginateMatches,
  readUser,
  spaceRank,
  text,
  userColumns,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, PageQuery, Role, UserPermission } from '@octavo/schema';
import { isAtLeast, roleOfRank, roles } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { GrantedContent } from './granted-content.ts';
import { callerRoleColumn, callerRoleOf, presentUserTo } from './present-user-to.ts';

interface Context {
  db: Database;
  actor: { id: string };
  urls: Urls;
}

const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };
const reached = {
  space: { from: sql`spaces s ON s.id`, rank: spaceRank(member) },
  collection: { from: sql`collections c ON c.id`, rank: collectionRank(member) },
};

const rankOfRole = (role: Role): number => roles.filter((each) => isAtLeast(role, each)).length;

/** Everyone who reaches the content, with the role held there in the end; who joined last comes first. */
export async function listReach(
  content: GrantedContent,
  query: PageQuery & { role?: Role | undefined },
  { db, actor, urls }: Context,
): Promise<List<UserPermission>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { from, rank } = reached[content.kind];
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${userColumns('u')}, m.joined_at AS joined_at, ${rank} AS role_rank,
        ${callerRoleColumn(content.organization, actor.id)}`,
      from: sql`FROM members m INDEXED BY members_by_joining CROSS JOIN users u ON u.id = m.user
        CROSS JOIN ${from} = ${content.id}
        WHERE m.organization = ${content.organization} AND ${after(cursor, sql`m.joined_at`, sql`m.user`)}`,
      order: sql`m.joined_at DESC, m.user DESC`,
      matches: query.role === undefined ? sql`role_rank > 0` : sql`role_rank = ${rankOfRole(query.role)}`,
      limit: query.limit,
    }),
  );
  return paginateMatches(rows, query.limit, {
    item: (row) => ({ permission: roleIn(row), user: presentUserTo(callerRoleOf(row), readUser(row), urls) }),
    cursorOf: (row) => [number(row, 'joined_at'), text(row, 'user_id')],
  });
}

function roleIn(row: Row): Role {
  const role = roleOfRank(number(row, 'role_rank'));
  if (role === null) throw new Error('A list of those who reach content gave a row without a role.');
  return role;
}
