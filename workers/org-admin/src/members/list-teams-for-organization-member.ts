import {
  after,
  contains,
  decodeCursor,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
  teamMembers,
  teamRow,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from '../teams/present-team.ts';

const tm = aliasedTable(teamMembers, 'tm');
const listedRow = selection({ team: teamRow.fields, role: tm.role, joinedAt: tm.joinedAt, ...lookedAt });

/** The team that was joined last comes first. */
export const listTeamsForOrganizationMember: Handler<
  typeof orgAdmin.listTeamsForOrganizationMember,
  OrgAdminEnvironment
> = async ({ query: { page, limit, title } }, { db, organization, membership, member, actor }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const found = lookThrough({
    columns: listedRow.getSQL(),
    from: sql`FROM team_members tm INDEXED BY teams_of_user_by_joining
        CROSS JOIN teams t ON t.id = tm.team AND t.organization = tm.organization
        LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${actor.id}
        WHERE tm.user = ${member.user.id} AND tm.organization = ${organization.id}
          AND ${after(cursor, sql`tm.joined_at`, sql`tm.team`)}`,
    order: sql`tm.joined_at DESC, tm.team DESC`,
    matches: title ? contains([listedRow.names.team.title], title) : undefined,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ team, role }) => ({ team: presentTeam(team, membership), member: { role } }),
    cursorOf: ({ joinedAt, team }) => [joinedAt, team.id],
  });
};
