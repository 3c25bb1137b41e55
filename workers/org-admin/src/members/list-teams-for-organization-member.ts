import type { Row } from '@octavo/db';
import {
  after,
  contains,
  decodeCursor,
  lookThrough,
  number,
  paginateMatches,
  readKnownTeam,
  teamColumns,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin, TeamRole } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from '../teams/present-team.ts';

/** The team that was joined last comes first. */
export const listTeamsForOrganizationMember: Handler<
  typeof orgAdmin.listTeamsForOrganizationMember,
  OrgAdminEnvironment
> = async ({ query: { page, limit, title } }, { db, organization, membership, member, actor }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${teamColumns}, tm.role AS member_role, tm.joined_at AS member_joined_at`,
      from: sql`FROM team_members tm INDEXED BY teams_of_user_by_joining
        CROSS JOIN teams t ON t.id = tm.team AND t.organization = tm.organization
        LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${actor.id}
        WHERE tm.user = ${member.user.id} AND tm.organization = ${organization.id}
          AND ${after(cursor, sql`tm.joined_at`, sql`tm.team`)}`,
      order: sql`tm.joined_at DESC, tm.team DESC`,
      matches: title ? contains([sql`team_title`], title) : undefined,
      limit,
    }),
  );
  return paginateMatches(rows, limit, {
    item: (row) => ({
      team: presentTeam(readKnownTeam(row), membership),
      member: { role: text(row, 'member_role') as TeamRole },
    }),
    cursorOf: (row) => [number(row, 'member_joined_at'), text(row, 'team_id')],
  });
};
