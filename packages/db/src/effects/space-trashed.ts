import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '../connect.ts';
import { spaces } from '../content.ts';
import { spacesCameOrWent, spaceTrashed } from './dependency-changed.ts';
import { passDefaultOn, showing, showingAnyOf, trashedBeside } from './site-space-left.ts';

/** Moves a live space to the trash, where it does not count for who was given it, nor for the installations on it. */
export const trashSpace = (db: Database, id: string, now: number): Statement[] => [
  ...countGiven(db, id, -1),
  ...passDefaultOn(db, showing(id)),
  spaceTrashed(db, id),
  db.update(spaces).set({ deletedAt: now }).where(eq(spaces.id, id)),
];

/** Takes a space out of the trash: it counts for all who were given it, also while it lay there. */
export const untrashSpace = (db: Database, id: string, changes: SQLiteUpdateSetSource<typeof spaces>): Statement[] => [
  ...countGiven(db, id, 1),
  spaceTrashed(db, id),
  db
    .update(spaces)
    .set({ ...changes, deletedAt: null })
    .where(eq(spaces.id, id)),
  ...passDefaultOn(db, trashedBeside(id)),
];

/** Triggers count what is given, taken, put on and taken off while a space is not in the trash. */
function countGiven(db: Database, id: string, by: 1 | -1): Statement[] {
  const count = sql.raw(`spaces = spaces ${by === 1 ? '+' : '-'} 1`);
  const given = sql`FROM grants WHERE object = ${id} AND role IS NOT NULL`;
  return [
    db.run(sql`UPDATE teams SET ${count} WHERE id IN (SELECT subject ${given} AND subject GLOB 'team_*')`),
    db.run(sql`UPDATE members SET ${count}
      WHERE (organization, user) IN (SELECT organization, subject ${given} AND subject GLOB 'usr_*')`),
    db.run(sql`UPDATE installations SET ${count}
      WHERE id IN (SELECT installation FROM space_installations WHERE space = ${id})`),
  ];
}

/** Moves the live spaces of collections, by a SELECT of these, to the trash; the statements are as many for any number. */
export function trashSpacesIn(
  db: Database,
  { collections, organization }: { collections: SQL; organization: OrganizationId },
  now: number,
): Statement[] {
  const given = (subject: string) => sql`FROM (${collections}) i
    CROSS JOIN spaces s ON s.parent = i.id AND s.organization = ${organization} AND s.deleted_at IS NULL
    CROSS JOIN grants g ON g.object = s.id AND g.role IS NOT NULL AND g.subject GLOB ${sql.raw(`'${subject}_*'`)}`;
  const trashed = sql`SELECT s.id FROM (${collections}) i
    CROSS JOIN spaces s ON s.parent = i.id AND s.organization = ${organization} AND s.deleted_at IS NULL`;
  return [
    ...passDefaultOn(db, showingAnyOf(trashed)),
    spacesCameOrWent(db, trashed, [organization]),
    db.run(sql`UPDATE teams SET spaces = spaces - given.count
      FROM (SELECT g.subject, COUNT(*) AS count ${given('team')} GROUP BY g.subject) given WHERE teams.id = given.subject`),
    db.run(sql`UPDATE members SET spaces = spaces - given.count
      FROM (SELECT g.organization, g.subject, COUNT(*) AS count ${given('usr')} GROUP BY g.organization, g.subject) given
      WHERE members.organization = given.organization AND members.user = given.subject`),
    db.run(sql`UPDATE installations SET spaces = spaces - given.count
      FROM (SELECT x.installation, COUNT(*) AS count FROM (${trashed}) gone
        CROSS JOIN space_installations x ON x.space = gone.id GROUP BY x.installation) given
      WHERE installations.id = given.installation`),
    db.run(sql`UPDATE spaces SET deleted_at = ${now}
      WHERE parent IN (${collections}) AND +organization = ${organization} AND deleted_at IS NULL`),
  ];
}
