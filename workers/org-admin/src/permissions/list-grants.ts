import type { Database, Row } from '@octavo/db';
import {
  after,
  decodeCursor,
  number,
  optionalText,
  paginate,
  readTeam,
  readUser,
  teamColumns,
  text,
  userColumns,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { GivenToTeam, GivenToUser, List, PageQuery, Role } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { presentTeam } from '../teams/present-team.ts';
import type { GrantedContent } from './granted-content.ts';
import { callerRoleColumn, callerRoleOf, presentUserTo } from './present-user-to.ts';

interface Context {
  db: Database;
  actor: { id: string };
  urls: Urls;
}

interface Listed<Item> {
  columns: SQL;
  joins: SQL;
  /** The partial index on grants that is in the list's order, and its condition in the same words. */
  index: SQL;
  ofKind: SQL;
  item: (row: Row) => Item;
}

const cursorOf = (row: Row) => [number(row, 'given_at'), text(row, 'given_to')];
const permissionOf = (row: Row) => optionalText(row, 'given_role') as Role | null;

/** What was given on the content directly, the newest first. */
async function listGrants<Item>(
  content: GrantedContent,
  { query, context: { db, actor } }: { query: PageQuery; context: Context },
  { columns, joins, index, ofKind, item }: Listed<Item>,
): Promise<List<Item>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(sql`
    SELECT g.subject AS given_to, g.role AS given_role, g.created_at AS given_at,
      ${callerRoleColumn(content.organization, actor.id)}, ${columns}
    FROM grants g INDEXED BY ${index} ${joins}
    WHERE g.object = ${content.id} AND g.organization = ${content.organization} AND ${ofKind}
      AND ${after(cursor, sql`g.created_at`, sql`g.subject`)}
    ORDER BY g.created_at DESC, g.subject DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, { item, cursorOf });
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
      columns: userColumns('u'),
      joins: sql`CROSS JOIN members m ON m.organization = g.organization AND m.user = g.subject
      CROSS JOIN users u ON u.id = m.user`,
      index: sql`grants_to_users`,
      ofKind: sql`g.subject GLOB 'usr_*'`,
      item: (row) => ({
        permission: permissionOf(row),
        user: presentUserTo(callerRoleOf(row), readUser(row), context.urls),
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
      columns: teamColumns,
      joins: sql`CROSS JOIN teams t ON t.id = g.subject AND t.organization = g.organization
      LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${context.actor.id}`,
      index: sql`grants_to_teams`,
      ofKind: sql`g.subject GLOB 'team_*'`,
      item: (row) => {
        const team = readTeam(row);
        if (team === undefined) throw new Error('A list of grants gave a row without its team.');
        const membership = { role: callerRoleOf(row), ownsTeam: team.ownRole === 'owner' };
        return { permission: permissionOf(row), team: presentTeam(team, membership) };
      },
    },
  );
