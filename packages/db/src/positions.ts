import { createRandomString } from '@octavo/schema';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/**
 * A position starts with `i` and an integer part of nine base-62 digits, as the fractional-indexing scheme defines it.
 */
const head = 'i';
const length = 9;

/** A time in microseconds that lies in the future until the year 2255. It is less than 2^53. */
const endOfTime = 9_000_000_000_000_000;

let last = 0;

function getNextMicroseconds(now: number): number {
  last = Math.max(last + 1, now * 1000);
  return last;
}

function toKey(moment: number): string {
  let key = '';
  for (let rest = moment; key.length < length; rest = Math.floor(rest / 62)) key = (digits[rest % 62] ?? '0') + key;
  return head + key;
}

/**
 * A fractional index key for the end of a list. It grows with the clock, so appending reads no siblings, and pages that
 * two change requests append are sorted by their creation. Keys sort as bytes.
 */
export const createOrderKeyAtEnd = (now: number): string => toKey(getNextMicroseconds(now));

/** A key for the start of a list, which decreases with the clock: the newest is first. */
const createOrderKeyAtStart = (now: number): string => toKey(endOfTime - getNextMicroseconds(now));

/**
 * Maximum length of a position. If a position would be longer, all siblings get new positions. The limit lets positions
 * fit into cursors.
 */
const maxLength = 64;

/** Makes positions of concurrent writes distinct. A position must not end in `0`. */
const createRandomSuffix = (): string => createRandomString(4).replace(/0$/, '1');

/** A position before all siblings. */
export const createPositionAtStart = (now: number): string => createOrderKeyAtStart(now) + createRandomSuffix();

/** A position after all siblings. */
export const createPositionAtEnd = (now: number): string => createOrderKeyAtEnd(now) + createRandomSuffix();

/** A position between two siblings (null: no sibling on that side), or undefined if there is no room. */
export function createPositionBetween(low: string | null, high: string | null): string | undefined {
  if (high === '' || (low !== null && high !== null && low >= high)) return undefined;
  const start = low === '' ? null : low;
  let middle = generateKeyBetween(start, high);
  // If `high` starts with `middle`, a suffix could make the position greater than `high`.
  while (high?.startsWith(middle)) middle = generateKeyBetween(start, middle);
  const position = middle + createRandomSuffix();
  return position.length > maxLength ? undefined : position;
}

/** `count` evenly spaced positions. */
export const spreadPositions = (count: number): string[] => generateNKeysBetween(null, null, count);
