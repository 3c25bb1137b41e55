import type { Database } from '@octavo/db';
import {
  after,
  decodeCursor,
  given,
  grants,
  members,
  paginate,
  type Query,
  readRows,
  selection,
  teamRow,
  userRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { GivenToTeam, GivenToUser, List, PageQuery } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { presentTeam } from '../teams/present-team.ts';
import type { GrantedContent } from './granted-content.ts';
import { callerRole, presentUserTo } from './present-user-to.ts';

interface Context {
  db: Database;
  actor: { id: string };
  urls: Urls;
}

const g = aliasedTable(grants, 'g');
const grantFields = { givenTo: g.subject, givenRole: g.role, givenAt: g.createdAt, callerRole: given(members.role) };
const givenToUserRow = selection({ ...grantFields, user: userRow.fields });
const givenToTeamRow = selection({ ...grantFields, team: teamRow.fields });

interface Listed<Row, Item> {
  row: { with(expressions: { callerRole: SQL }): SQL; query(text: SQL): Query<Row> };
  joins: SQL;
  /** The partial index on grants that is in the list's order, and its condition in the same words. */
  index: SQL;
  ofKind: SQL;
  item: (row: Row) => Item;
}

/** What was given on the content directly, the newest first. */
async function listGrants<Row extends { givenTo: string; givenAt: number }, Item>(
  content: GrantedContent,
  { query, context: { db, actor } }: { query: PageQuery; context: Context },
  { row, joins, index, ofKind, item }: Listed<Row, Item>,
): Promise<List<Item>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const grantsOf = row.query(sql`
    SELECT ${row.with({ callerRole: callerRole(content.organization, actor.id) })}
    FROM grants g INDEXED BY ${index} ${joins}
    WHERE g.object = ${content.id} AND g.organization = ${content.organization} AND ${ofKind}
      AND ${after(cursor, sql`g.created_at`, sql`g.subject`)}
    ORDER BY g.created_at DESC, g.subject DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, grantsOf), query.limit, {
    item,
    cursorOf: ({ givenAt, givenTo }) => [givenAt, givenTo],
  });
}

export const listUserGrants = (
  content: GrantedContent,
  query: PageQuery,
  context: Context,
): Promise<List<GivenToUser>> =>
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

export const listTeamGrants = (
  content: GrantedContent,
  query: PageQuery,
  context: Context,
): Promise<List<GivenToTeam>> =>
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
