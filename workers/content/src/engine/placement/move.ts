import type { CallerRecord, Database, Statement } from '@octavo/db';
import {
  abortUnless,
  commitCheckedOnce,
  createPositionBetween,
  fromQuery,
  joinActingMember,
  mayViewCollection,
  nullable,
  readRow,
  readRows,
  retryOnConflict,
  selection,
  selectSpaceRank,
  toActingMember,
} from '@octavo/db';
import type { CollectionId, Issue, OrganizationId, SpaceId } from '@octavo/schema';
import { conflict, invalid, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import type { Destination, LeveledContent } from './placement.ts';
import { createMoveLevelChecks, createPlacementChecks } from './placement.ts';

interface MovedItem extends LeveledContent {
  organization: OrganizationId;
  /** An SQL expression for the number of moved collection levels; null if the item no longer exists. */
  levels: SQL;
}

interface Move<Value> {
  /** The new parent; undefined if the item stays in its current parent. */
  to: { parent?: string | null | undefined; position?: Omit<WantedPosition, 'actor'> | undefined };
  actor: CallerRecord;
  write: (guards: Statement[], destination: { parent: string | null; position: string }) => Promise<Value>;
}

/** Moves a space or collection to a position in a parent. Retries after a lost race. */
export const move = <Value>(db: Database, item: MovedItem, { to, actor, write }: Move<Value>): Promise<Value> =>
  retryOnConflict(async () => {
    const { id, organization, levels } = item;
    const { parent, guards } =
      to.parent === undefined ? await readCurrentParent(db, item) : { parent: to.parent, guards: [] };
    const destination = { organization, parent, movedId: id };
    const checks = createMoveLevelChecks(item, parent);
    return commitCheckedOnce(db, createPlacementChecks({ ...destination, levels, checks }), async (arrives) => {
      const { position, statements } = await findPosition(db, destination, { ...to.position, actor });
      return write([...arrives, ...guards, ...statements], { parent, position });
    });
  });

const parentRow = selection({ parent: nullable(fromQuery(String)) });

/** Reads the current parent, and returns a guard that it stays the same: the item is positioned among its children. */
async function readCurrentParent(
  db: Database,
  { table, id }: MovedItem,
): Promise<{ parent: string | null; guards: Statement[] }> {
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

interface FoundPosition {
  position: string;
  /** Guards that the position is still valid, and updates of siblings. They must be in the same batch as the move. */
  statements: Statement[];
}

/**
 * Finds the position before or after the named siblings, or at the end if none is named.
 * @throws ApiError invalid, for an unknown sibling and for contradictory ones
 */
async function findPosition(
  db: Database,
  destination: MoveDestination,
  requestedPosition: WantedPosition,
): Promise<FoundPosition> {
  const { low, high } = await findNeighbours(db, destination, requestedPosition);
  const position = createPositionBetween(low?.position ?? null, high?.position ?? null);
  if (position === undefined) return shiftSiblings(db, destination, low);
  return {
    position,
    statements: [
      abortUnless(db, sql`${areUnchanged(destination, [low, high])} AND ${isPositionFree(destination, position)}`),
    ],
  };
}

interface Neighbours {
  low: Sibling | undefined;
  high: Sibling | undefined;
}

async function findNeighbours(
  db: Database,
  destination: MoveDestination,
  position: WantedPosition,
): Promise<Neighbours> {
  const before = await requireSibling(db, destination, { position, field: 'before' });
  const after = await requireSibling(db, destination, { position, field: 'after' });
  if (before !== undefined && after !== undefined && !isBefore(after, before)) {
    throw invalid([toIssue('after', 'must precede the sibling in `before`')]);
  }
  if (after !== undefined) {
    const [high] = await findSiblings(db, destination, { after, limit: 1 });
    return { low: after, high };
  }
  if (before === undefined) return { low: await findLastSibling(db, destination), high: undefined };
  const [low] = await findSiblings(db, destination, { before, limit: 1 });
  return { low, high: before };
}

const toIssue = (field: 'before' | 'after', message: string): Issue => ({ path: `body.position.${field}`, message });

async function requireSibling(
  db: Database,
  destination: MoveDestination,
  { position, field }: { position: WantedPosition; field: 'before' | 'after' },
): Promise<Sibling | undefined> {
  const pointer = position[field];
  if (pointer === undefined) return undefined;
  const sibling = await findSibling(db, destination, { pointer, actor: position.actor });
  if (sibling === undefined) throw invalid([toIssue(field, 'must be a sibling at the destination')]);
  return sibling;
}

const isBefore = (one: Sibling, other: Sibling): boolean =>
  one.position < other.position || (one.position === other.position && one.id < other.id);

const isPositionFree = (destination: MoveDestination, position: string): SQL => sql`
  NOT EXISTS (SELECT 1 FROM collections c WHERE ${isSibling('c', destination)} AND c.position = ${position})
  AND NOT EXISTS (SELECT 1 FROM spaces s WHERE ${isSibling('s', destination)} AND s.position = ${position})`;

/** Returns the SQL condition that the siblings around a position have not moved. */
const areUnchanged = (destination: MoveDestination, siblings: (Sibling | undefined)[]): SQL => {
  const pairs = siblings.flatMap((sibling) => (sibling === undefined ? [] : [[sibling.id, sibling.position]]));
  const hasSamePosition = (alias: 'c' | 's', table: string) => sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} ${alias}`)}
    WHERE ${sql.raw(alias)}.id = w.value->>0 AND ${sql.raw(alias)}.position = w.value->>1 AND ${isSibling(alias, destination)})`;
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(pairs)}) w
    WHERE NOT ${hasSamePosition('c', 'collections')} AND NOT ${hasSamePosition('s', 'spaces')})`;
};

/** Numbers of siblings that are searched for a gap. The second number is used if many siblings share one position. */
const searchDistances = [200, 5000];

/**
 * Maximum length of the middle key of a gap. Longer gaps are skipped, because they leave too little room for siblings
 * that share a position.
 */
const maxKeyLength = 48;

/**
 * Makes room after `low` by moving the siblings that follow it into the first gap behind them. Moves as few siblings as
 * possible. The siblings keep their order and none moves down, so a concurrent pagination misses none of them.
 */
async function shiftSiblings(
  db: Database,
  destination: MoveDestination,
  low: Sibling | undefined,
): Promise<FoundPosition> {
  for (const reach of searchDistances) {
    const siblings = await findSiblings(db, destination, { after: low, limit: reach + 1 });
    const gap = findFirstGap(low?.position ?? '', siblings, reach);
    if (gap !== undefined) return moveSiblings(db, destination, { low, siblings, ...gap });
  }
  throw conflict(
    'Too many siblings share one position. Move the object to the end of its parent first, then to this position.',
  );
}

interface Gap {
  /** Number of siblings before the gap. */
  count: number;
  start: string;
  end: string | null;
}

function findFirstGap(low: string, siblings: Sibling[], reach: number): Gap | undefined {
  for (let count = 0; count <= Math.min(siblings.length, reach); count += 1) {
    const gap = { count, start: siblings[count - 1]?.position ?? low, end: siblings[count]?.position ?? null };
    if (isWide(gap)) return gap;
  }
  return undefined;
}

const isWide = ({ start, end }: Gap): boolean =>
  (end === null || start < end) && generateKeyBetween(start || null, end).length <= maxKeyLength;

function moveSiblings(
  db: Database,
  destination: MoveDestination,
  { low, siblings, count, start, end }: Gap & { low: Sibling | undefined; siblings: Sibling[] },
): FoundPosition {
  const [position = '', ...others] = generateNKeysBetween(start || null, end, count + 1);
  const affected = siblings.slice(0, count + 1);
  const affectedIds = JSON.stringify(affected.map(({ id }) => id));
  const noOther = sql`NOT EXISTS (SELECT 1 FROM (${selectSiblings(destination, { after: low, limit: count + 1 })})
    WHERE id NOT IN (SELECT value FROM json_each(${affectedIds})))`;
  const newPositions = JSON.stringify(others.map((key, index) => [siblings[index]?.id, key]));
  const keys = sql`json_each(${newPositions}) w`;
  return {
    position,
    statements: [
      abortUnless(db, sql`${areUnchanged(destination, [low, ...affected])} AND ${noOther}`),
      db.run(sql`UPDATE collections SET position = w.value->>1 FROM ${keys} WHERE collections.id = w.value->>0`),
      db.run(sql`UPDATE spaces SET position = w.value->>1 FROM ${keys} WHERE spaces.id = w.value->>0`),
    ],
  };
}

/** The destination of a move; the moved item does not count as a sibling. */
interface MoveDestination extends Destination {
  movedId: string;
}

interface Sibling {
  id: string;
  position: string;
}

const tables = { c: sql.raw('collections'), s: sql.raw('spaces') };

/** Returns the SQL condition that a space or collection is a sibling in a destination. */
const isSibling = (alias: 'c' | 's', { organization, parent, movedId }: MoveDestination): SQL => {
  const x = sql.raw(alias);
  return sql`${x}.organization = ${organization} AND ${x}.parent IS ${parent} AND ${x}.deleted_at IS NULL AND ${x}.id <> ${movedId}`;
};

type Range = { after?: Sibling | undefined; before?: Sibling; limit: number };

/** A SELECT of siblings in order; if `before` is given, in descending order from there. */
function selectSiblings(destination: MoveDestination, { after, before, limit }: Range): SQL {
  const order = sql.raw(after === undefined && before !== undefined ? 'position DESC, id DESC' : 'position, id');
  return selectSiblingsInOrder(destination, { order, range: toRange({ after, before }), limit });
}

const toRange = ({ after, before }: Pick<Range, 'after'> & { before: Sibling | undefined }): SQL => {
  if (after !== undefined) return sql`(position, id) > (${after.position}, ${after.id})`;
  return before === undefined ? sql`1` : sql`(position, id) < (${before.position}, ${before.id})`;
};

function selectSiblingsInOrder(
  destination: MoveDestination,
  { order, range, limit }: { order: SQL; range: SQL; limit: number },
): SQL {
  const most = sql.raw(String(limit));
  const selectFromTable = (alias: 'c' | 's') => sql`SELECT * FROM (
    SELECT id, position FROM ${tables[alias]} ${sql.raw(alias)} WHERE ${isSibling(alias, destination)} AND ${range} ORDER BY ${order} LIMIT ${most})`;
  return sql`SELECT id, position FROM (${selectFromTable('c')} UNION ALL ${selectFromTable('s')}) ORDER BY ${order} LIMIT ${most}`;
}

const siblingRow = selection({ id: fromQuery(String), position: fromQuery(String) });

const findSiblings = (db: Database, destination: MoveDestination, range: Range): Promise<Sibling[]> =>
  readRows(db, siblingRow.query(selectSiblings(destination, range)));

const findLastSibling = (db: Database, destination: MoveDestination): Promise<Sibling | undefined> =>
  readRow(
    db,
    siblingRow.query(
      selectSiblingsInOrder(destination, { order: sql.raw('position DESC, id DESC'), range: sql`1`, limit: 1 }),
    ),
  );

type Pointer = { type: 'space'; space: SpaceId } | { type: 'collection'; collection: CollectionId };

/** Finds the sibling that a pointer names, if the caller may see it. */
function findSibling(
  db: Database,
  destination: MoveDestination,
  { pointer, actor }: { pointer: Pointer; actor: CallerRecord },
): Promise<Sibling | undefined> {
  const member = toActingMember(actor);
  const sibling =
    pointer.type === 'space'
      ? sql`SELECT s.id, s.position FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
          WHERE s.id = ${pointer.space} AND ${isSibling('s', destination)} AND ${selectSpaceRank(member)} > 0`
      : sql`SELECT c.id, c.position FROM collections c ${joinActingMember(sql`c.organization`, actor)}
          WHERE c.id = ${pointer.collection} AND ${isSibling('c', destination)} AND ${mayViewCollection(sql`c.organization`, member)}`;
  return readRow(db, siblingRow.query(sibling));
}
