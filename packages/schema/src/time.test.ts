import { expect, test } from 'vitest';
import { timestamp } from './time.ts';

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
  expect(timestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
  expect(timestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
});

test('rejects an invalid time', () => {
  expect(() => timestamp(Number.NaN)).toThrow(RangeError);
});
