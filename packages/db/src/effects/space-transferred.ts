import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '../connect.ts';
import { spaces } from '../content.ts';
import { deleteSiteSpaces, showing, showingAnyOf } from './site-space-left.ts';

interface Transfer {
  from: string;
  to: string;
}

/** Brings a space to another organization, with these changes of its row; the sites of the former show it no longer. */
export const handOverSpace = (
  db: Database,
  id: string,
  transfer: Transfer,
  changes: SQLiteUpdateSetSource<typeof spaces>,
): Statement[] => [
  ...leaveBehind(db, sql`object = ${id}`, transfer),
  ...takeAlong(db, sql`space = ${id}`, transfer),
  ...deleteSiteSpaces(db, showing(id)),
  db
    .update(spaces)
    .set({ ...changes, organization: transfer.to })
    .where(eq(spaces.id, id)),
];

/** Brings collections, by a SELECT of their ids, and the spaces in them to another organization. */
export function handOverCollections(db: Database, collections: SQL, transfer: Transfer): Statement[] {
  const { from, to } = transfer;
  const inside = sql`SELECT s.id FROM (${collections}) i CROSS JOIN spaces s ON s.parent = i.id`;
  return [
    ...leaveBehind(db, sql`object IN (SELECT id FROM (${collections}) UNION ALL ${inside})`, transfer),
    ...takeAlong(db, sql`space IN (${inside})`, transfer),
    ...deleteSiteSpaces(db, showingAnyOf(inside)),
    db.run(sql`UPDATE spaces SET organization = ${to} WHERE parent IN (${collections}) AND +organization = ${from}`),
    db.run(sql`UPDATE collections SET organization = ${to} WHERE id IN (${collections}) AND +organization = ${from}`),
  ];
}

/** What the former organization gave, and its links to join by, stay with it: there they would give nothing any more. */
const leaveBehind = (db: Database, which: SQL, { from }: Transfer): Statement[] =>
  ['grants', 'invites'].map((table) =>
    db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${which} AND +organization = ${from}`),
  );

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
