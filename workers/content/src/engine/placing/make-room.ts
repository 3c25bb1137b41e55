import type { Database } from '@octavo/db';
import { must } from '@octavo/db';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import type { FoundPlace } from './find-place.ts';
import type { Place, Sibling } from './find-siblings.ts';
import { findSiblings, siblingsIn } from './find-siblings.ts';
import { unchanged } from './unchanged.ts';

/** How many siblings are looked at for room, first and then, where many stand at one position. */
const reaches = [200, 5000];

/** A key in the middle of a gap that is longer leaves too little for positions that many siblings share the gap with. */
const maxKeyLength = 48;

/**
 * Makes room after `low`: the siblings next to it move up into the first gap behind them, as few as can be. Their order
 * stays, and none moves down, so that a walk which stands among them misses none.
 */
export async function makeRoom(db: Database, place: Place, low: Sibling | undefined): Promise<FoundPlace> {
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
  place: Place,
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
