import { randomString } from '@octavo/schema';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** In the fractional-indexing scheme the head `i` announces an integer part of nine base-62 digits. */
const head = 'i';
const length = 9;

/** Beyond the clock in microseconds until the year 2255, and below 2^53. */
const endOfTime = 9_000_000_000_000_000;

let last = 0;

function tick(now: number): number {
  last = Math.max(last + 1, now * 1000);
  return last;
}

function keyOf(moment: number): string {
  let key = '';
  for (let rest = moment; key.length < length; rest = Math.floor(rest / 62)) key = (digits[rest % 62] ?? '0') + key;
  return head + key;
}

/**
 * A fractional index key for "at the end": it grows with the clock, so that no sibling has to be read to append, and
 * pages that two change requests append stand in the order in which they were made. Sorts as bytes.
 */
export const orderKeyAtEnd = (now: number): string => keyOf(tick(now));

/** A key for "at the start", which shrinks as the clock goes on: what is new stands first. */
const orderKeyAtStart = (now: number): string => keyOf(endOfTime - tick(now));

/** A position that is longer is refused: its siblings are spread anew, so that positions fit into cursors. */
const maxLength = 64;

/** Two who write at once get two positions. A position must not end in `0`. */
const suffix = (): string => randomString(4).replace(/0$/, '1');

/** The position of new content: before all of its siblings. */
export const positionAtStart = (now: number): string => orderKeyAtStart(now) + suffix();

/** The position of what comes after all of its siblings. */
export const positionAtEnd = (now: number): string => orderKeyAtEnd(now) + suffix();

/** A position between two siblings (null: none on that side), or undefined where there is no room between them. */
export function positionBetween(low: string | null, high: string | null): string | undefined {
  if (high === '' || (low !== null && high !== null && low >= high)) return undefined;
  const start = low === '' ? null : low;
  let middle = generateKeyBetween(start, high);
  // After a middle that the upper one begins with, a suffix could lead beyond that one.
  while (high?.startsWith(middle)) middle = generateKeyBetween(start, middle);
  const position = middle + suffix();
  return position.length > maxLength ? undefined : position;
}

/** So many positions, evenly apart. */
export const spreadPositions = (count: number): string[] => generateNKeysBetween(null, null, count);
