import type { OrganizationId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { must } from '../commit.ts';
import type { Database, Statement } from '../connect.ts';
import type { Effect } from './places-left.ts';
import { uninstalledFromSpaces } from './places-left.ts';
import { deleteSiteSpaces, showing } from './site-space-left.ts';

/**
 * Deletes at most `limit` each of the reactions, replies and comments of a space that is purged, and of its change
 * requests once no comments are left; triggers delete what hangs on each.
 */
export function purgeDiscussions(db: Database, space: SpaceId, limit: number): Statement[] {
  const some = (table: string) => sql`(SELECT id FROM ${sql.raw(table)} WHERE space = ${space} LIMIT ${limit})`;
  const isGone = (table: string) => sql`NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE space = ${space})`;
  return [
    db.run(sql`DELETE FROM reactions WHERE (object, emoji, user) IN
      (SELECT object, emoji, user FROM reactions WHERE space = ${space} LIMIT ${limit})`),
    db.run(sql`DELETE FROM comment_replies WHERE ${isGone('reactions')} AND id IN ${some('comment_replies')}`),
    db.run(sql`DELETE FROM comments WHERE ${isGone('comment_replies')} AND ${isGone('reactions')}
      AND id IN ${some('comments')}`),
    db.run(sql`DELETE FROM change_requests WHERE ${isGone('comments')} AND id IN ${some('change_requests')}`),
  ];
}

/** Deletes the row of a space that is being purged, with what was given on it, its invites, its counters and its places in sites. */
export function deleteSpace(
  db: Database,
  { space, organization }: { space: SpaceId; organization: OrganizationId },
): Effect {
  const row = sql`id = ${space} AND organization = ${organization} AND purging_at IS NOT NULL`;
  const statements = [
    must(db, sql`EXISTS (SELECT 1 FROM spaces WHERE ${row})`),
    // While the space is in the trash: it counts no longer for those who were given it.
    ...deleteGiven(db, sql`object = ${space}`),
    ...deleteSiteSpaces(db, showing(space)),
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
  return { statements, events: [uninstalledFromSpaces(organization, sql`space = ${space}`)] };
}

/** Deletes those of these collections for which `condition` holds, with what was given on them and their invites. */
export function deleteCollections(db: Database, ids: string[], condition: SQL): Statement[] {
  const these = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return [
    db.run(sql`DELETE FROM collections WHERE id IN ${these} AND ${condition}`),
    ...deleteGiven(db, sql`object IN ${these} AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = object)`),
  ];
}

const deleteGiven = (db: Database, condition: SQL): Statement[] =>
  ['grants', 'invites'].map((table) => db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${condition}`));
