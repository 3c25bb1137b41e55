import type { OrganizationId, SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { CallerRecord } from '../access/access.ts';
import { joinActingMember, selectSpaceRank, toActingMember } from '../access/expressions.ts';
import { abortUnless } from '../commit.ts';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import { spaces } from '../tables/content.ts';
import type { Effect } from './installations.ts';
import { createSpaceUninstallEvents } from './installations.ts';
import { scheduleForSpaces, scheduleForTrash } from './revisions.ts';
import { deleteSiteSpaces, isTrashedSibling, reassignDefaults, showsAnySpace, showsSpace } from './sites.ts';

/** Moves a space to the trash and subtracts it from the counters of members, teams and installations. */
export const moveSpaceToTrash = (db: Database, id: string, now: number): Statement[] => [
  ...updateCounters(db, id, -1),
  ...reassignDefaults(db, showsSpace(id)),
  scheduleForTrash(db, id),
  db.update(spaces).set({ deletedAt: now }).where(eq(spaces.id, id)),
];

/** Restores a space from the trash with all its grants, including those that were added while it was in the trash. */
export const restoreSpaceFromTrash = (
  db: Database,
  id: string,
  changes: SQLiteUpdateSetSource<typeof spaces>,
): Statement[] => [
  ...updateCounters(db, id, 1),
  scheduleForTrash(db, id),
  db
    .update(spaces)
    .set({ ...changes, deletedAt: null })
    .where(eq(spaces.id, id)),
  ...reassignDefaults(db, isTrashedSibling(id)),
];

/**
 * Updates the counters for a space that enters or leaves the trash. While a space is not in the trash, triggers count
 * changes of its grants and installations.
 */
function updateCounters(db: Database, id: string, by: 1 | -1): Statement[] {
  const count = sql.raw(`spaces = spaces ${by === 1 ? '+' : '-'} 1`);
  const fromGrants = sql`FROM grants WHERE object = ${id} AND role IS NOT NULL`;
  return [
    db.run(sql`UPDATE teams SET ${count} WHERE id IN (SELECT subject ${fromGrants} AND subject GLOB 'team_*')`),
    db.run(sql`UPDATE members SET ${count}
      WHERE (organization, user) IN (SELECT organization, subject ${fromGrants} AND subject GLOB 'usr_*')`),
    db.run(sql`UPDATE installations SET ${count}
      WHERE id IN (SELECT installation FROM space_installations WHERE space = ${id})`),
  ];
}

/** Moves the spaces of collections (a SELECT of ids) to the trash, in a constant number of statements. */
export function moveSpacesToTrash(
  db: Database,
  { collections, organization }: { collections: SQL; organization: OrganizationId },
  now: number,
): Statement[] {
  const selectGrantSource = (subject: string) => sql`FROM (${collections}) i
    CROSS JOIN spaces s ON s.parent = i.id AND s.organization = ${organization} AND s.deleted_at IS NULL
    CROSS JOIN grants g ON g.object = s.id AND g.role IS NOT NULL AND g.subject GLOB ${sql.raw(`'${subject}_*'`)}`;
  const trashed = sql`SELECT s.id FROM (${collections}) i
    CROSS JOIN spaces s ON s.parent = i.id AND s.organization = ${organization} AND s.deleted_at IS NULL`;
  return [
    ...reassignDefaults(db, showsAnySpace(trashed)),
    scheduleForSpaces(db, trashed, [organization]),
    db.run(sql`UPDATE teams SET spaces = spaces - given.count
      FROM (SELECT g.subject, COUNT(*) AS count ${selectGrantSource('team')} GROUP BY g.subject) given WHERE teams.id = given.subject`),
    db.run(sql`UPDATE members SET spaces = spaces - given.count
      FROM (SELECT g.organization, g.subject, COUNT(*) AS count ${selectGrantSource('usr')} GROUP BY g.organization, g.subject) given
      WHERE members.organization = given.organization AND members.user = given.subject`),
    db.run(sql`UPDATE installations SET spaces = spaces - given.count
      FROM (SELECT x.installation, COUNT(*) AS count FROM (${trashed}) gone
        CROSS JOIN space_installations x ON x.space = gone.id GROUP BY x.installation) given
      WHERE installations.id = given.installation`),
    db.run(sql`UPDATE spaces SET deleted_at = ${now}
      WHERE parent IN (${collections}) AND +organization = ${organization} AND deleted_at IS NULL`),
  ];
}

interface Transfer {
  from: OrganizationId;
  to: OrganizationId;
}

/** Transfers a space to another organization and removes it from the sites of the previous one. */
export const transferSpaceTo = (
  db: Database,
  id: string,
  transfer: Transfer,
  changes: SQLiteUpdateSetSource<typeof spaces>,
): Effect => ({
  statements: [
    ...deletePreviousGrants(db, sql`object = ${id}`, transfer),
    ...uninstall(db, sql`space = ${id}`, transfer),
    ...transferDiscussions(db, sql`space = ${id}`, transfer),
    ...deleteSiteSpaces(db, showsSpace(id)),
    scheduleForSpaces(db, sql`SELECT ${id} AS id`, [transfer.from, transfer.to]),
    db
      .update(spaces)
      .set({ ...changes, organization: transfer.to })
      .where(eq(spaces.id, id)),
  ],
  events: [createSpaceUninstallEvents(transfer.from, sql`space = ${id}`)],
});

/**
 * A SELECT of the ids of a collection and all live collections nested in it. Queries that use it compare
 * `+organization`, so that SQLite does not choose the index of the organization.
 */
export const selectLiveCollections = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id} AND deleted_at IS NULL
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = inside.id AND c.deleted_at IS NULL
  )
  SELECT id FROM inside`;

/**
 * A SELECT of the ids of a collection and all collections nested in it, including deleted ones, which may contain
 * spaces in the trash.
 */
export const selectCollections = (id: string): SQL => sql`
  WITH RECURSIVE inside(id) AS (
    SELECT id FROM collections WHERE id = ${id}
    UNION
    SELECT c.id FROM inside CROSS JOIN collections c INDEXED BY collections_of_parent ON c.parent = inside.id
  )
  SELECT id FROM inside`;

/** Transfers collections (a SELECT of ids) and their spaces to another organization. */
export function transferCollectionsTo(db: Database, collections: SQL, transfer: Transfer): Effect {
  const { from, to } = transfer;
  const inside = sql`SELECT s.id FROM (${collections}) i CROSS JOIN spaces s ON s.parent = i.id`;
  const statements = [
    ...deletePreviousGrants(db, sql`object IN (SELECT id FROM (${collections}) UNION ALL ${inside})`, transfer),
    ...uninstall(db, sql`space IN (${inside})`, transfer),
    ...transferDiscussions(db, sql`space IN (${inside})`, transfer),
    ...deleteSiteSpaces(db, showsAnySpace(inside)),
    scheduleForSpaces(db, inside, [from, to]),
    db.run(sql`UPDATE spaces SET organization = ${to} WHERE parent IN (${collections}) AND +organization = ${from}`),
    db.run(sql`UPDATE collections SET organization = ${to} WHERE id IN (${collections}) AND +organization = ${from}`),
  ];
  return { statements, events: [createSpaceUninstallEvents(from, sql`space IN (${inside})`)] };
}

/** Deletes grants and invites of the previous organization, which have no effect in the new one. */
const deletePreviousGrants = (db: Database, condition: SQL, { from }: Transfer): Statement[] =>
  ['grants', 'invites'].map((table) =>
    db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${condition} AND +organization = ${from}`),
  );

/** Removes installations of the previous organization from the spaces. */
const uninstall = (db: Database, condition: SQL, { from }: Transfer): Statement[] => [
  db.run(sql`DELETE FROM space_installations WHERE ${condition} AND +organization = ${from}`),
  db.run(sql`UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL,
    leased_until = 0, due_at = MIN(due_at, ${Date.now()}) WHERE ${condition} AND +organization = ${from}`),
];

/**
 * Transfers change requests and comments. Deletes review requests for users who are not members of the new
 * organization.
 */
function transferDiscussions(db: Database, condition: SQL, { from, to }: Transfer): Statement[] {
  const transferred = sql`${condition} AND +organization = ${from}`;
  return [
    db.run(sql`DELETE FROM requested_reviewers WHERE ${transferred} AND (kind = 'team'
      OR NOT EXISTS (SELECT 1 FROM members m WHERE m.organization = ${to} AND m.user = subject))`),
    db.run(sql`UPDATE requested_reviewers SET organization = ${to} WHERE ${transferred}`),
    db.run(sql`UPDATE change_requests SET organization = ${to} WHERE ${transferred}`),
    // After a transfer by an earlier release, comments can still have the organization from before that transfer.
    db.run(sql`UPDATE comments SET organization = ${to} WHERE ${condition}`),
  ];
}

/**
 * Deletes the discussions of a space that is being purged: at most `limit` reactions, `limit` replies and `limit`
 * comments, and then its change requests. Triggers delete dependent rows.
 */
export function purgeDiscussions(db: Database, space: SpaceId, limit: number): Statement[] {
  const selectFirstIds = (table: string) =>
    sql`(SELECT id FROM ${sql.raw(table)} WHERE space = ${space} LIMIT ${limit})`;
  const isEmpty = (table: string) => sql`NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;
  return [
    db.run(sql`DELETE FROM reactions WHERE (object, emoji, user) IN
      (SELECT object, emoji, user FROM reactions WHERE space = ${space} LIMIT ${limit})`),
    db.run(
      sql`DELETE FROM comment_replies WHERE ${isEmpty('reactions')} AND id IN ${selectFirstIds('comment_replies')}`,
    ),
    db.run(sql`DELETE FROM comments WHERE ${isEmpty('comment_replies')} AND ${isEmpty('reactions')}
      AND id IN ${selectFirstIds('comments')}`),
    db.run(
      sql`DELETE FROM change_requests WHERE ${isEmpty('comments')} AND id IN ${selectFirstIds('change_requests')}`,
    ),
  ];
}

/** Deletes the row of a space that is being purged, with its grants, invites, counters and site spaces. */
export function deleteSpace(
  db: Database,
  { space, organization }: { space: SpaceId; organization: OrganizationId },
): Effect {
  const row = sql`id = ${space} AND organization = ${organization} AND purging_at IS NOT NULL`;
  const statements = [
    abortUnless(db, sql`EXISTS (SELECT 1 FROM spaces WHERE ${row})`),
    // Grants and site spaces are deleted while the space is still in the trash, so that counters stay correct.
    ...deleteGrants(db, sql`object = ${space}`),
    ...deleteSiteSpaces(db, showsSpace(space)),
    db.run(sql`DELETE FROM space_installations WHERE space = ${space}`),
    db.run(
      sql`DELETE FROM computed_entries WHERE version IN (SELECT version FROM computed_contents WHERE space = ${space}
        UNION ALL SELECT former FROM computed_contents WHERE space = ${space})`,
    ),
    db.run(sql`DELETE FROM computed_contents WHERE space = ${space}`),
    db.run(sql`DELETE FROM site_places WHERE space = ${space}`),
    db.run(sql`DELETE FROM spaces WHERE ${row}`),
    db.run(sql`DELETE FROM space_counters WHERE space = ${space}`),
    db.run(sql`DELETE FROM contributors WHERE branch = ${space}`),
  ];
  return { statements, events: [createSpaceUninstallEvents(organization, sql`space = ${space}`)] };
}

/** Deletes the collections for which `condition` holds, with their grants and invites. */
export function deleteCollections(db: Database, ids: string[], condition: SQL): Statement[] {
  const these = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return [
    db.run(sql`DELETE FROM collections WHERE id IN ${these} AND ${condition}`),
    ...deleteGrants(db, sql`object IN ${these} AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = object)`),
  ];
}

const deleteGrants = (db: Database, condition: SQL): Statement[] =>
  ['grants', 'invites'].map((table) => db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${condition}`));

const selectRole = (rank: SQL): SQL =>
  sql`CASE ${rank} WHEN 5 THEN 'create' WHEN 4 THEN 'review' WHEN 3 THEN 'edit' WHEN 2 THEN 'comment' WHEN 1 THEN 'read' WHEN 6 THEN 'admin' END`;

const insertGrants = (db: Database, grants: SQL): Statement =>
  db.run(sql`INSERT INTO grants (object, subject, organization, role, created_at)
    SELECT space, user, organization, ${selectRole(sql`held`)}, ${Date.now()} FROM (${grants})`);

/**
 * Stores the current roles of a space's creator and of another user on the space as grants. A user without a role gets
 * a grant of "no access". Users who already have a grant, and admins, get no new grant. The users retain these roles
 * when the space is hidden or leaves its collection.
 */
export const grantCurrentRoles = (db: Database, space: SpaceId, user: UserId): Statement =>
  insertCurrentGrants(db, space, sql`m.user IN (s.created_by, ${user}) AND m.role IS NOT 'admin'`);

/**
 * Like `grantCurrentRoles` for one user, if the user is a guest. Guests have access only to content with a grant and
 * content that they created.
 */
export const grantGuestRole = (db: Database, space: SpaceId, user: UserId): Statement =>
  insertCurrentGrants(db, space, sql`m.user = ${user} AND m.role IS NULL`);

function insertCurrentGrants(db: Database, space: SpaceId, user: SQL): Statement {
  const rank = selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`1` });
  return insertGrants(
    db,
    sql`SELECT s.id AS space, m.user, s.organization, ${rank} AS held
      FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND ${user}
      WHERE s.id = ${space} AND NOT EXISTS (
        SELECT 1 FROM grants g WHERE g.object = s.id AND g.organization = s.organization AND (g.subject = m.user
          OR g.subject IN (SELECT tm.team FROM team_members tm WHERE tm.user = m.user AND tm.organization = s.organization)))`,
  );
}

/** Grants the actor `create` on a space if the actor has a lower role. */
export function grantCreate(db: Database, space: SpaceId, actor: CallerRecord): Statement {
  return insertGrants(
    db,
    sql`SELECT s.id AS space, m.user, s.organization, 5 AS held FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
      WHERE s.id = ${space} AND COALESCE(${selectSpaceRank(toActingMember(actor))}, 0) < 5`,
  );
}
