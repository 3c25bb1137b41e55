import type { CallerRecord, Database, Statement } from '@octavo/db';
import {
  abortUnless,
  commitCheckedOnce,
  fromQuery,
  joinActingMember,
  mayViewCollection,
  nullable,
  positionBetween,
  readRow,
  readRows,
  retryOnConflict,
  selection,
  spaceRank,
  toActingMember,
} from '@octavo/db';
import type { CollectionId, Issue, OrganizationId, SpaceId } from '@octavo/schema';
import { conflict, invalid, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import type { Destination, LeveledContent } from './arrival.ts';
import { arrivalChecks, levelChecksOfMove } from './arrival.ts';

interface Moved extends LeveledContent {
  organization: OrganizationId;
  /** How many levels of collections move; null once it is gone. */
  levels: SQL;
}

interface Move<Value> {
  /** The parent that was asked for: undefined where it stays in its own. */
  to: { parent?: string | null | undefined; position?: Omit<WantedPosition, 'actor'> | undefined };
  actor: CallerRecord;
  write: (guards: Statement[], place: { parent: string | null; position: string }) => Promise<Value>;
}

/** Moves a space or a collection into a parent, to a place among the siblings there; again where a race was lost. */
export const move = <Value>(db: Database, moved: Moved, { to, actor, write }: Move<Value>): Promise<Value> =>
  retryOnConflict(async () => {
    const { id, organization, levels } = moved;
    const { parent, guards } = to.parent === undefined ? await whereItIs(db, moved) : { parent: to.parent, guards: [] };
    const place = { organization, parent, moving: id };
    const checks = levelChecksOfMove(moved, parent);
    return commitCheckedOnce(db, arrivalChecks({ ...place, levels, checks }), async (arrives) => {
      const { position, statements } = await findPlace(db, place, { ...to.position, actor });
      return write([...arrives, ...guards, ...statements], { parent, position });
    });
  });

const parentRow = selection({ parent: nullable(fromQuery(String)) });

/** The parent that it has now, and the guard that it keeps it: its siblings are looked up there. */
async function whereItIs(db: Database, { table, id }: Moved): Promise<{ parent: string | null; guards: Statement[] }> {
  const from = sql.raw(table);
  const row = await readRow(
    db,
    parentRow.query(sql`SELECT parent FROM ${from} WHERE id = ${id} AND deleted_at IS NULL`),
  );
  if (row === undefined) throw notFound(table === 'spaces' ? 'space' : 'collection');
  const { parent } = row;
  return {
    parent,
    guards: [abortUnless(db, sql`EXISTS (SELECT 1 FROM ${from} WHERE id = ${id} AND parent IS ${parent})`)],
  };
}

interface WantedPosition {
  before?: Pointer | undefined;
  after?: Pointer | undefined;
  actor: CallerRecord;
}

interface FoundPlace {
  position: string;
  /** Guards that the place is still as it was found, and what its siblings need; they go into the batch. */
  statements: Statement[];
}

/**
 * The position at a place: before or after the siblings that are named, at the end where none is.
 * @throws ApiError invalid, for a name that is no sibling there and for two that contradict each other
 */
async function findPlace(db: Database, place: MoveDestination, wanted: WantedPosition): Promise<FoundPlace> {
  const { low, high } = await findNeighbours(db, place, wanted);
  const position = positionBetween(low?.position ?? null, high?.position ?? null);
  if (position === undefined) return makeRoom(db, place, low);
  return {
    position,
    statements: [abortUnless(db, sql`${unchanged(place, [low, high])} AND ${isFree(place, position)}`)],
  };
}

interface Neighbours {
  low: Sibling | undefined;
  high: Sibling | undefined;
}

async function findNeighbours(db: Database, place: MoveDestination, wanted: WantedPosition): Promise<Neighbours> {
  const before = await requireNamed(db, place, { wanted, field: 'before' });
  const after = await requireNamed(db, place, { wanted, field: 'after' });
  if (before !== undefined && after !== undefined && !standsBefore(after, before)) {
    throw invalid([issueAt('after', 'must precede the sibling in `before`')]);
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
  if (named === undefined) throw invalid([issueAt(field, 'must be a sibling at the destination')]);
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
  throw conflict('Too many siblings share one position. Move to the end first.');
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
      abortUnless(db, sql`${unchanged(place, [low, ...read])} AND ${noOther}`),
      db.run(sql`UPDATE collections SET position = w.value->>1 FROM ${keys} WHERE collections.id = w.value->>0`),
      db.run(sql`UPDATE spaces SET position = w.value->>1 FROM ${keys} WHERE spaces.id = w.value->>0`),
    ],
  };
}

/** Where something is moved to: its own place among the siblings there does not count. */
interface MoveDestination extends Destination {
  moving: string;
}

interface Sibling {
  id: string;
  position: string;
}

const tables = { c: sql.raw('collections'), s: sql.raw('spaces') };

/** The siblings at a place, spaces and collections, by the alias of their table. */
const isSibling = (alias: 'c' | 's', { organization, parent, moving }: MoveDestination): SQL => {
  const x = sql.raw(alias);
  return sql`${x}.organization = ${organization} AND ${x}.parent IS ${parent} AND ${x}.deleted_at IS NULL AND ${x}.id <> ${moving}`;
};

type Range = { after?: Sibling | undefined; before?: Sibling; limit: number };

/** A SELECT of siblings in order, those next to `before` first where it is given. */
function siblingsIn(place: MoveDestination, { after, before, limit }: Range): SQL {
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

const siblingRow = selection({ id: fromQuery(String), position: fromQuery(String) });

const findSiblings = (db: Database, place: MoveDestination, range: Range): Promise<Sibling[]> =>
  readRows(db, siblingRow.query(siblingsIn(place, range)));

/** The sibling that stands last. */
const findLastSibling = (db: Database, place: MoveDestination): Promise<Sibling | undefined> =>
  readRow(db, siblingRow.query(ordered(place, { order: sql.raw('position DESC, id DESC'), range: sql`1`, limit: 1 })));

type Pointer = { type: 'space'; space: SpaceId } | { type: 'collection'; collection: CollectionId };

/** The sibling that a pointer names, if there is one that the actor sees. */
function findNamed(
  db: Database,
  place: MoveDestination,
  { pointer, actor }: { pointer: Pointer; actor: CallerRecord },
): Promise<Sibling | undefined> {
  const member = toActingMember(actor);
  const named =
    pointer.type === 'space'
      ? sql`SELECT s.id, s.position FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
          WHERE s.id = ${pointer.space} AND ${isSibling('s', place)} AND ${spaceRank(member)} > 0`
      : sql`SELECT c.id, c.position FROM collections c ${joinActingMember(sql`c.organization`, actor)}
          WHERE c.id = ${pointer.collection} AND ${isSibling('c', place)} AND ${mayViewCollection(sql`c.organization`, member)}`;
  return readRow(db, siblingRow.query(named));
}
