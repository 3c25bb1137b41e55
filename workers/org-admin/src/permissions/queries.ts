import type { Database, Query, UserRecord } from '@octavo/db';
import {
  decodeCursor,
  fromQuery,
  grants,
  isAfterCursor,
  isListedUser,
  members,
  nullable,
  paginate,
  paginateMatches,
  readRows,
  scanFields,
  scanRows,
  selectCollectionRank,
  selection,
  selectSpaceRank,
  teamRow,
  userRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type {
  List,
  OrganizationId,
  PageQuery,
  Role,
  TeamGrant,
  User,
  UserGrant,
  UserId,
  UserPermission,
} from '@octavo/schema';
import { getRoleByRank, isAtLeast, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { presentTeam } from '../teams/presenter.ts';
import type { GrantedContent } from './grants.ts';

interface Context {
  db: Database;
  actor: { id: string };
  urls: Urls;
}

const g = aliasedTable(grants, 'g');
const grantFields = {
  givenTo: g.subject,
  givenRole: g.role,
  givenAt: g.createdAt,
  callerRole: fromQuery(members.role),
};
const givenToUserRow = selection({ ...grantFields, user: userRow.fields });
const givenToTeamRow = selection({ ...grantFields, team: teamRow.fields });

interface ListedGrant<Row, Item> {
  row: { with(expressions: { callerRole: SQL }): SQL; query(text: SQL): Query<Row> };
  joins: SQL;
  /** The partial index that has the grants in the order of the list, and the condition of this index, word for word. */
  index: SQL;
  ofKind: SQL;
  item: (row: Row) => Item;
}

/** Lists the direct grants on the content, newest first. */
async function listGrants<Row extends { givenTo: string; givenAt: number }, Item>(
  content: GrantedContent,
  { query, context: { db, actor } }: { query: PageQuery; context: Context },
  { row, joins, index, ofKind, item }: ListedGrant<Row, Item>,
): Promise<List<Item>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const grantsOf = row.query(sql`
    SELECT ${row.with({ callerRole: selectCallerRole(content.organization, actor.id) })}
    FROM grants g INDEXED BY ${index} ${joins}
    WHERE g.object = ${content.id} AND g.organization = ${content.organization} AND ${ofKind}
      AND ${isAfterCursor(cursor, sql`g.created_at`, sql`g.subject`)}
    ORDER BY g.created_at DESC, g.subject DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, grantsOf), query.limit, {
    item,
    getCursor: ({ givenAt, givenTo }) => [givenAt, givenTo],
  });
}

export const listUserGrants = (content: GrantedContent, query: PageQuery, context: Context): Promise<List<UserGrant>> =>
  listGrants(
    content,
    { query, context },
    {
      row: givenToUserRow,
      joins: sql`CROSS JOIN members m ON m.organization = g.organization AND m.user = g.subject
        CROSS JOIN users u ON u.id = m.user`,
      index: sql`grants_to_users`,
      ofKind: sql`g.subject GLOB 'usr_*'`,
      item: ({ givenRole, callerRole, user }) => ({
        permission: givenRole,
        user: presentUserTo(callerRole, user, context.urls),
      }),
    },
  );

export const listTeamGrants = (content: GrantedContent, query: PageQuery, context: Context): Promise<List<TeamGrant>> =>
  listGrants(
    content,
    { query, context },
    {
      row: givenToTeamRow,
      joins: sql`CROSS JOIN teams t ON t.id = g.subject AND t.organization = g.organization
        LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${context.actor.id}`,
      index: sql`grants_to_teams`,
      ofKind: sql`g.subject GLOB 'team_*'`,
      item: ({ givenRole, callerRole, team }) => ({
        permission: givenRole,
        team: presentTeam(team, { role: callerRole, ownsTeam: team.ownRole === 'owner' }),
      }),
    },
  );

const ranked = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };
const reached = {
  space: { from: sql`spaces s ON s.id`, rank: selectSpaceRank(ranked) },
  collection: { from: sql`collections c ON c.id`, rank: selectCollectionRank(ranked) },
};

const getRank = (role: Role): number => roles.filter((each) => isAtLeast(role, each)).length;

const reachRow = selection({
  user: userRow.fields,
  joinedAt: aliasedTable(members, 'm').joinedAt,
  rank: nullable(fromQuery(Number)),
  callerRole: fromQuery(members.role),
  ...scanFields,
});

/** Lists all members with access to the content and their effective roles, newest member first. */
export async function listAccessiblePeople(
  content: GrantedContent,
  query: PageQuery & { role?: Role | undefined },
  { db, actor, urls }: Context,
): Promise<List<UserPermission>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { from, rank } = reached[content.kind];
  const result = scanRows({
    columns: reachRow.with({ rank, callerRole: selectCallerRole(content.organization, actor.id) }),
    from: sql`FROM members m INDEXED BY members_by_joining CROSS JOIN users u ON u.id = m.user
        CROSS JOIN ${from} = ${content.id}
        WHERE m.organization = ${content.organization} AND ${isListedUser(sql`m.user`)} AND ${isAfterCursor(cursor, sql`m.joined_at`, sql`m.user`)}`,
    order: sql`m.joined_at DESC, m.user DESC`,
    matches:
      query.role === undefined ? sql`${reachRow.names.rank} > 0` : sql`${reachRow.names.rank} = ${getRank(query.role)}`,
    limit: query.limit,
  });
  return paginateMatches(await readRows(db, reachRow.query(result)), query.limit, {
    item: ({ rank, callerRole, user }) => ({ permission: getRole(rank), user: presentUserTo(callerRole, user, urls) }),
    getCursor: ({ joinedAt, user }) => [joinedAt, user.id],
  });
}

function getRole(rank: number | null): Role {
  const role = getRoleByRank(rank);
  if (role === null) throw new Error('A permission list returned a row without a role.');
  return role;
}

/** The caller's role in the organization; null for a guest. */
const selectCallerRole = (organization: OrganizationId, user: UserId): SQL =>
  sql`(SELECT own.role FROM members own WHERE own.organization = ${organization} AND own.user = ${user})`;

/** Presents a user to the caller: guests do not see e-mail addresses. */
const presentUserTo = (callerRole: Role | null, user: UserRecord, urls: Urls): User =>
  presentUser(user, urls, { email: callerRole !== null });
