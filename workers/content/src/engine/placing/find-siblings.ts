import type { CallerRecord, Database } from '@octavo/db';
import {
  actingMember,
  given,
  joinActingMember,
  mayViewCollection,
  readRow,
  readRows,
  selection,
  spaceRank,
} from '@octavo/db';
import type { CollectionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Destination } from './arrival.ts';

/** Where something is moved to: its own place among the siblings there does not count. */
export interface MoveDestination extends Destination {
  moving: string;
}

export interface Sibling {
  id: string;
  position: string;
}

const tables = { c: sql.raw('collections'), s: sql.raw('spaces') };

/** The siblings at a place, spaces and collections, by the alias of their table. */
export const isSibling = (alias: 'c' | 's', { organization, parent, moving }: MoveDestination): SQL => {
  const x = sql.raw(alias);
  return sql`${x}.organization = ${organization} AND ${x}.parent IS ${parent} AND ${x}.deleted_at IS NULL AND ${x}.id <> ${moving}`;
};

type Range = { after?: Sibling | undefined; before?: Sibling; limit: number };

/** A SELECT of siblings in order, those next to `before` first where it is given. */
export function siblingsIn(place: MoveDestination, { after, before, limit }: Range): SQL {
  const order = sql.raw(after === undefined && before !== undefined ? 'position DESC, id DESC' : 'position, id');
  return ordered(place, { order, range: rangeOf({ after, before }), limit });
}

const rangeOf = ({ after, before }: Pick<Range, 'after'> & { before: Sibling | undefined }): SQL => {
  if (after !== undefined) return sql`(position, id) > (${after.position}, ${after.id})`;
  return before === undefined ? sql`1` : sql`(position, id) < (${before.position}, ${before.id})`;
};

function ordered(place: MoveDestination, { order, range, limit }: { order: SQL; range: SQL; limit: number }): SQL {
  const most = sql.raw(String(limit));
  const arm = (alias: 'c' | 's') => sql`SELECT * FROM (
    SELECT id, position FROM ${tables[alias]} ${sql.raw(alias)} WHERE ${isSibling(alias, place)} AND ${range} ORDER BY ${order} LIMIT ${most})`;
  return sql`SELECT id, position FROM (${arm('c')} UNION ALL ${arm('s')}) ORDER BY ${order} LIMIT ${most}`;
}

const siblingRow = selection({ id: given(String), position: given(String) });

export const findSiblings = (db: Database, place: MoveDestination, range: Range): Promise<Sibling[]> =>
  readRows(db, siblingRow.query(siblingsIn(place, range)));

/** The sibling that stands last. */
export const findLastSibling = (db: Database, place: MoveDestination): Promise<Sibling | undefined> =>
  readRow(db, siblingRow.query(ordered(place, { order: sql.raw('position DESC, id DESC'), range: sql`1`, limit: 1 })));

export type Pointer = { type: 'space'; space: SpaceId } | { type: 'collection'; collection: CollectionId };

/** The sibling that a pointer names, if there is one that the actor sees. */
export function findNamed(
  db: Database,
  place: MoveDestination,
  { pointer, actor }: { pointer: Pointer; actor: CallerRecord },
): Promise<Sibling | undefined> {
  const member = actingMember(actor);
  const named =
    pointer.type === 'space'
      ? sql`SELECT s.id, s.position FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
          WHERE s.id = ${pointer.space} AND ${isSibling('s', place)} AND ${spaceRank(member)} > 0`
      : sql`SELECT c.id, c.position FROM collections c ${joinActingMember(sql`c.organization`, actor)}
          WHERE c.id = ${pointer.collection} AND ${isSibling('c', place)} AND ${mayViewCollection(sql`c.organization`, member)}`;
  return readRow(db, siblingRow.query(named));
}
