import type { Database } from '@octavo/db';
import {
  after,
  contains,
  decodeCursor,
  given,
  lookedAt,
  lookThrough,
  members,
  paginateMatches,
  readRows,
  selection,
  teamRow,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { OrganizationId, orgAdmin, UserId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from './present-team.ts';

const listedRow = selection({ team: teamRow.fields, listedAt: given(Number), ...lookedAt });

/** The newest first; those of an owner who is no admin by when the owner joined them, as their index has them. */
export const listTeamsInOrganizationById: Handler<
  typeof orgAdmin.listTeamsInOrganizationById,
  OrgAdminEnvironment
> = async ({ query: { page, limit, owner, title } }, { db, organization, membership, actor }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const managed = owner === undefined ? 'all' : await managedBy(db, organization.id, owner);
  if (managed === 'none') return { count: 0, items: [] };
  const teams =
    managed === 'all'
      ? sql`teams t INDEXED BY teams_of_organization`
      : sql`team_members tm INDEXED BY teams_of_user CROSS JOIN teams t ON t.id = tm.team`;
  const [time, id] = managed === 'all' ? [sql`t.created_at`, sql`t.id`] : [sql`tm.joined_at`, sql`tm.team`];
  const isOwned =
    managed === 'all' ? sql`1` : sql`tm.user = ${owner} AND tm.organization = ${organization.id} AND tm.role = 'owner'`;
  const found = lookThrough({
    columns: listedRow.with({ listedAt: time }),
    from: sql`FROM ${teams} LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${actor.id}
        WHERE t.organization = ${organization.id} AND ${isOwned} AND ${after(cursor, time, id)}`,
    order: sql`${time} DESC, ${id} DESC`,
    matches: title ? contains([listedRow.names.team.title], title) : undefined,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ team }) => presentTeam(team, membership),
    cursorOf: ({ listedAt, team }) => [listedAt, team.id],
  });
};

/** An admin can manage every team, another member those that he owns; who is not an active member, none. */
async function managedBy(db: Database, organization: OrganizationId, user: UserId): Promise<'all' | 'owned' | 'none'> {
  const [member] = await db
    .select({ role: members.role, disabled: members.disabled })
    .from(members)
    .where(sql`organization = ${organization} AND user = ${user}`);
  if (member === undefined || member.disabled) return 'none';
  return member.role === 'admin' ? 'all' : 'owned';
}
