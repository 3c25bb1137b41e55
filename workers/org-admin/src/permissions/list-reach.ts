import type { Database } from '@octavo/db';
import {
  after,
  collectionRank,
  decodeCursor,
  given,
  isNamed,
  lookedAt,
  lookThrough,
  maybe,
  members,
  paginateMatches,
  readRows,
  selection,
  spaceRank,
  userRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { List, PageQuery, Role, UserPermission } from '@octavo/schema';
import { isAtLeast, roleOfRank, roles } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { GrantedContent } from './granted-content.ts';
import { callerRole, presentUserTo } from './present-user-to.ts';

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

const reachRow = selection({
  user: userRow.fields,
  joinedAt: aliasedTable(members, 'm').joinedAt,
  rank: maybe(given(Number)),
  callerRole: given(members.role),
  ...lookedAt,
});

/** Everyone who reaches the content, with the role held there in the end; who joined last comes first. */
export async function listReach(
  content: GrantedContent,
  query: PageQuery & { role?: Role | undefined },
  { db, actor, urls }: Context,
): Promise<List<UserPermission>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { from, rank } = reached[content.kind];
  const found = lookThrough({
    columns: reachRow.with({ rank, callerRole: callerRole(content.organization, actor.id) }),
    from: sql`FROM members m INDEXED BY members_by_joining CROSS JOIN users u ON u.id = m.user
        CROSS JOIN ${from} = ${content.id}
        WHERE m.organization = ${content.organization} AND ${isNamed(sql`m.user`)} AND ${after(cursor, sql`m.joined_at`, sql`m.user`)}`,
    order: sql`m.joined_at DESC, m.user DESC`,
    matches:
      query.role === undefined
        ? sql`${reachRow.names.rank} > 0`
        : sql`${reachRow.names.rank} = ${rankOfRole(query.role)}`,
    limit: query.limit,
  });
  return paginateMatches(await readRows(db, reachRow.query(found)), query.limit, {
    item: ({ rank, callerRole, user }) => ({ permission: roleOf(rank), user: presentUserTo(callerRole, user, urls) }),
    cursorOf: ({ joinedAt, user }) => [joinedAt, user.id],
  });
}

function roleOf(rank: number | null): Role {
  const role = roleOfRank(rank);
  if (role === null) throw new Error('A list of those who reach content gave a row without a role.');
  return role;
}
