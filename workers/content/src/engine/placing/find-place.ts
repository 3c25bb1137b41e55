import type { CallerRecord, Database, Statement } from '@octavo/db';
import { must } from '@octavo/db';
import type { Issue } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Place, Pointer, Sibling } from './find-siblings.ts';
import { findLastSibling, findNamed, findSiblings, isSibling } from './find-siblings.ts';
import { makeRoom } from './make-room.ts';
import { positionBetween } from './position.ts';
import { unchanged } from './unchanged.ts';

export interface Wanted {
  before?: Pointer | undefined;
  after?: Pointer | undefined;
  actor: CallerRecord;
}

export interface FoundPlace {
  position: string;
  /** Guards that the place is still as it was found, and what its siblings need; they go into the batch. */
  statements: Statement[];
}

/**
 * The position at a place: before or after the siblings that are named, at the end where none is.
 * @throws ApiError invalid, for a name that is no sibling there and for two that contradict each other
 */
export async function findPlace(db: Database, place: Place, wanted: Wanted): Promise<FoundPlace> {
  const { low, high } = await findNeighbours(db, place, wanted);
  const position = positionBetween(low?.position ?? null, high?.position ?? null);
  if (position === undefined) return makeRoom(db, place, low);
  return { position, statements: [must(db, sql`${unchanged(place, [low, high])} AND ${isFree(place, position)}`)] };
}

interface Neighbours {
  low: Sibling | undefined;
  high: Sibling | undefined;
}

async function findNeighbours(db: Database, place: Place, wanted: Wanted): Promise<Neighbours> {
  const before = await requireNamed(db, place, { wanted, field: 'before' });
  const after = await requireNamed(db, place, { wanted, field: 'after' });
  if (before !== undefined && after !== undefined && !standsBefore(after, before)) {
    throw invalid([issueAt('after', 'must stand before the sibling that `before` names')]);
  }
  if (after !== undefined) {
    const [high] = await findSiblings(db, place, { after, limit: 1 });
    return { low: after, high };
  }
  if (before === undefined) return { low: await findLastSibling(db, place), high: undefined };
  const [low] = await findSiblings(db, place, { before, limit: 1 });
  return { low, high: before };
}

const issueAt = (field: 'before' | 'after', message: string): Issue => ({ path: `body.position.${field}`, message });

async function requireNamed(
  db: Database,
  place: Place,
  { wanted, field }: { wanted: Wanted; field: 'before' | 'after' },
): Promise<Sibling | undefined> {
  const pointer = wanted[field];
  if (pointer === undefined) return undefined;
  const named = await findNamed(db, place, { pointer, actor: wanted.actor });
  if (named === undefined) throw invalid([issueAt(field, 'names no sibling at the destination')]);
  return named;
}

const standsBefore = (one: Sibling, other: Sibling): boolean =>
  one.position < other.position || (one.position === other.position && one.id < other.id);

const isFree = (place: Place, position: string): SQL => sql`
  NOT EXISTS (SELECT 1 FROM collections c WHERE ${isSibling('c', place)} AND c.position = ${position})
  AND NOT EXISTS (SELECT 1 FROM spaces s WHERE ${isSibling('s', place)} AND s.position = ${position})`;
