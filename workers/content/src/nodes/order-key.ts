const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** In the fractional-indexing scheme the head `i` announces an integer part of nine base-62 digits. */
const head = 'i';
const length = 9;

let last = 0;

/**
 * A fractional index key for "at the end": it grows with the clock, so that no sibling has to be read to append, and
 * pages that two change requests append stand in the order in which they were made. Sorts as bytes.
 */
export function orderKeyAtEnd(now: number): string {
  last = Math.max(last + 1, now * 1000);
  let key = '';
  for (let rest = last; key.length < length; rest = Math.floor(rest / 62)) key = (digits[rest % 62] ?? '0') + key;
  return head + key;
}
