import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '../connect.ts';
import { spaces } from '../content.ts';
import { spacesCameOrWent } from './dependency-changed.ts';
import type { Effect } from './places-left.ts';
import { uninstalledFromSpaces } from './places-left.ts';
import { deleteSiteSpaces, showing, showingAnyOf } from './site-space-left.ts';

interface Transfer {
  from: OrganizationId;
  to: OrganizationId;
}

/** Brings a space to another organization, with these changes of its row; the sites of the former show it no longer. */
export const handOverSpace = (
  db: Database,
  id: string,
  transfer: Transfer,
  changes: SQLiteUpdateSetSource<typeof spaces>,
): Effect => ({
  statements: [
    ...leaveBehind(db, sql`object = ${id}`, transfer),
    ...uninstall(db, sql`space = ${id}`, transfer),
    ...takeAlong(db, sql`space = ${id}`, transfer),
    ...deleteSiteSpaces(db, showing(id)),
    spacesCameOrWent(db, sql`SELECT ${id} AS id`, [transfer.from, transfer.to]),
    db
      .update(spaces)
      .set({ ...changes, organization: transfer.to })
      .where(eq(spaces.id, id)),
  ],
  events: [uninstalledFromSpaces(transfer.from, sql`space = ${id}`)],
});

/** Brings collections, by a SELECT of their ids, and the spaces in them to another organization. */
export function handOverCollections(db: Database, collections: SQL, transfer: Transfer): Effect {
  const { from, to } = transfer;
  const inside = sql`SELECT s.id FROM (${collections}) i CROSS JOIN spaces s ON s.parent = i.id`;
  const statements = [
    ...leaveBehind(db, sql`object IN (SELECT id FROM (${collections}) UNION ALL ${inside})`, transfer),
    ...uninstall(db, sql`space IN (${inside})`, transfer),
    ...takeAlong(db, sql`space IN (${inside})`, transfer),
    ...deleteSiteSpaces(db, showingAnyOf(inside)),
    spacesCameOrWent(db, inside, [from, to]),
    db.run(sql`UPDATE spaces SET organization = ${to} WHERE parent IN (${collections}) AND +organization = ${from}`),
    db.run(sql`UPDATE collections SET organization = ${to} WHERE id IN (${collections}) AND +organization = ${from}`),
  ];
  return { statements, events: [uninstalledFromSpaces(from, sql`space IN (${inside})`)] };
}

/** What the former organization gave, and its links to join by, stay with it: there they would give nothing any more. */
const leaveBehind = (db: Database, which: SQL, { from }: Transfer): Statement[] =>
  ['grants', 'invites'].map((table) =>
    db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${which} AND +organization = ${from}`),
  );

/** An installation stays in its organization, and is on none of the spaces any more that leave that. */
const uninstall = (db: Database, which: SQL, { from }: Transfer): Statement[] => [
  db.run(sql`DELETE FROM space_installations WHERE ${which} AND +organization = ${from}`),
  db.run(sql`UPDATE computed_contents SET former = COALESCE(former, version), version = NULL, hash = NULL,
    leased_until = 0, due_at = MIN(due_at, ${Date.now()}) WHERE ${which} AND +organization = ${from}`),
];

/** Of those who were asked for a review, only members of the new organization are asked still. */
function takeAlong(db: Database, which: SQL, { from, to }: Transfer): Statement[] {
  const moved = sql`${which} AND +organization = ${from}`;
  return [
    db.run(sql`DELETE FROM requested_reviewers WHERE ${moved} AND (kind = 'team'
      OR NOT EXISTS (SELECT 1 FROM members m WHERE m.organization = ${to} AND m.user = subject))`),
    db.run(sql`UPDATE requested_reviewers SET organization = ${to} WHERE ${moved}`),
    db.run(sql`UPDATE change_requests SET organization = ${to} WHERE ${moved}`),
  ];
}
