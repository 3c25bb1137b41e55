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
export const orderKeyAtStart = (now: number): string => keyOf(endOfTime - tick(now));
