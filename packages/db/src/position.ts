import { randomString } from '@octavo/schema';
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import { orderKeyAtEnd, orderKeyAtStart } from './order-key.ts';

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
