import type { CallerRecord, Database, Statement } from '@octavo/db';
import { must, positionBetween } from '@octavo/db';
import type { Issue } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import type { MoveDestination, Pointer, Sibling } from './find-siblings.ts';
import { findLastSibling, findNamed, findSiblings, isSibling, siblingsIn } from './find-siblings.ts';

export interface WantedPosition {
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
export async function findPlace(db: Database, place: MoveDestination, wanted: WantedPosition): Promise<FoundPlace> {
  const { low, high } = await findNeighbours(db, place, wanted);
  const position = positionBetween(low?.position ?? null, high?.position ?? null);
  if (position === undefined) return makeRoom(db, place, low);
  return { position, statements: [must(db, sql`${unchanged(place, [low, high])} AND ${isFree(place, position)}`)] };
}

interface Neighbours {
  low: Sibling | undefined;
  high: Sibling | undefined;
}

async function findNeighbours(db: Database, place: MoveDestination, wanted: WantedPosition): Promise<Neighbours> {
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
  place: MoveDestination,
  { wanted, field }: { wanted: WantedPosition; field: 'before' | 'after' },
): Promise<Sibling | undefined> {
  const pointer = wanted[field];
  if (pointer === undefined) return undefined;
  const named = await findNamed(db, place, { pointer, actor: wanted.actor });
  if (named === undefined) throw invalid([issueAt(field, 'names no sibling at the destination')]);
  return named;
}

const standsBefore = (one: Sibling, other: Sibling): boolean =>
  one.position < other.position || (one.position === other.position && one.id < other.id);

const isFree = (place: MoveDestination, position: string): SQL => sql`
  NOT EXISTS (SELECT 1 FROM collections c WHERE ${isSibling('c', place)} AND c.position = ${position})
  AND NOT EXISTS (SELECT 1 FROM spaces s WHERE ${isSibling('s', place)} AND s.position = ${position})`;

/** The siblings that a position was found between still stand where they stood. */
const unchanged = (place: MoveDestination, siblings: (Sibling | undefined)[]): SQL => {
  const pairs = siblings.flatMap((each) => (each === undefined ? [] : [[each.id, each.position]]));
  const stands = (alias: 'c' | 's', table: string) => sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} ${alias}`)}
    WHERE ${sql.raw(alias)}.id = w.value->>0 AND ${sql.raw(alias)}.position = w.value->>1 AND ${isSibling(alias, place)})`;
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(pairs)}) w
    WHERE NOT ${stands('c', 'collections')} AND NOT ${stands('s', 'spaces')})`;
};

/** How many siblings are looked at for room, first and then, where many stand at one position. */
const reaches = [200, 5000];

/** A key in the middle of a gap that is longer leaves too little for positions that many siblings share the gap with. */
const maxKeyLength = 48;

/**
 * Makes room after `low`: the siblings next to it move up into the first gap behind them, as few as can be. Their order
 * stays, and none moves down, so that a walk which stands among them misses none.
 */
async function makeRoom(db: Database, place: MoveDestination, low: Sibling | undefined): Promise<FoundPlace> {
  for (const reach of reaches) {
    const found = await findSiblings(db, place, { after: low, limit: reach + 1 });
    const gap = firstGap(low?.position ?? '', found, reach);
    if (gap !== undefined) return moveUp(db, place, { low, found, ...gap });
  }
  throw conflict('Too many siblings stand at one position here: move to the end first.');
}

interface Gap {
  /** How many siblings come before the gap. */
  count: number;
  start: string;
  end: string | null;
}

function firstGap(low: string, found: Sibling[], reach: number): Gap | undefined {
  for (let count = 0; count <= Math.min(found.length, reach); count += 1) {
    const gap = { count, start: found[count - 1]?.position ?? low, end: found[count]?.position ?? null };
    if (isWide(gap)) return gap;
  }
  return undefined;
}

const isWide = ({ start, end }: Gap): boolean =>
  (end === null || start < end) && generateKeyBetween(start || null, end).length <= maxKeyLength;

function moveUp(
  db: Database,
  place: MoveDestination,
  { low, found, count, start, end }: Gap & { low: Sibling | undefined; found: Sibling[] },
): FoundPlace {
  const [position = '', ...others] = generateNKeysBetween(start || null, end, count + 1);
  const read = found.slice(0, count + 1);
  const known = JSON.stringify(read.map(({ id }) => id));
  const noOther = sql`NOT EXISTS (SELECT 1 FROM (${siblingsIn(place, { after: low, limit: count + 1 })})
    WHERE id NOT IN (SELECT value FROM json_each(${known})))`;
  const moved = JSON.stringify(others.map((key, index) => [found[index]?.id, key]));
  const keys = sql`json_each(${moved}) w`;
  return {
    position,
    statements: [
      must(db, sql`${unchanged(place, [low, ...read])} AND ${noOther}`),
      db.run(sql`UPDATE collections SET position = w.value->>1 FROM ${keys} WHERE collections.id = w.value->>0`),
      db.run(sql`UPDATE spaces SET position = w.value->>1 FROM ${keys} WHERE spaces.id = w.value->>0`),
    ],
  };
}
