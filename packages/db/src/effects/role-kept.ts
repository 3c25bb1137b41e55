import type { SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { CallerRecord } from '../access.ts';
import { actingMember, joinActingMember } from '../acting-member.ts';
import type { Database, Statement } from '../connect.ts';
import { spaceRank } from '../effective-role.ts';

const roleOf = (rank: SQL): SQL =>
  sql`CASE ${rank} WHEN 5 THEN 'create' WHEN 4 THEN 'review' WHEN 3 THEN 'edit' WHEN 2 THEN 'comment' WHEN 1 THEN 'read' WHEN 6 THEN 'admin' END`;

const give = (db: Database, held: SQL): Statement =>
  db.run(sql`INSERT INTO grants (object, subject, organization, role, created_at)
    SELECT space, user, organization, ${roleOf(sql`held`)}, ${Date.now()} FROM (${held})`);

/**
 * Gives the creator of a space and another user what they hold on it now, or no access, where nothing was given to them
 * there: they keep it when the space is hidden or its collection decides no longer. Nothing is given to admins.
 */
export const keepRoles = (db: Database, space: SpaceId, user: UserId): Statement =>
  keep(db, space, sql`m.user IN (s.created_by, ${user}) AND m.role IS NOT 'admin'`);

/** The same for one user, where that is a guest: whom no level reaches, only what is given or made. */
export const keepRoleOfGuest = (db: Database, space: SpaceId, user: UserId): Statement =>
  keep(db, space, sql`m.user = ${user} AND m.role IS NULL`);

function keep(db: Database, space: SpaceId, who: SQL): Statement {
  const rank = spaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`1` });
  return give(
    db,
    sql`SELECT s.id AS space, m.user, s.organization, ${rank} AS held
      FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND ${who}
      WHERE s.id = ${space} AND NOT EXISTS (
        SELECT 1 FROM grants g WHERE g.object = s.id AND g.organization = s.organization AND (g.subject = m.user
          OR g.subject IN (SELECT tm.team FROM team_members tm WHERE tm.user = m.user AND tm.organization = s.organization)))`,
  );
}

/** Gives the actor `create` on a space where the actor holds less on it. */
export function keepCreate(db: Database, space: SpaceId, actor: CallerRecord): Statement {
  return give(
    db,
    sql`SELECT s.id AS space, m.user, s.organization, 5 AS held FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
      WHERE s.id = ${space} AND COALESCE(${spaceRank(actingMember(actor))}, 0) < 5`,
  );
}
