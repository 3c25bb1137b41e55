import { expect, test } from 'vitest';
import { formatTimestamp } from './time.ts';

const hour = 60 * 60_000;

test.each([
  0,
  1,
  999,
  59_999,
  23 * hour,
  24 * hour - 1,
  24 * hour,
  -1,
  -24 * hour,
  1_790_000_000_123,
  253_402_300_799_999,
  8.64e15,
  1.5,
])('formats %d as a date', (milliseconds) => {
  expect(formatTimestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
  expect(formatTimestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
});

test('rejects an invalid time', () => {
  expect(() => formatTimestamp(Number.NaN)).toThrow(RangeError);
});
