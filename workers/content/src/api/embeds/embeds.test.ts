import { expect, test } from 'vitest';
import { parseTitle, RateLimit } from './embeds.ts';

test('allows the configured number of requests per minute', () => {
  const asks = new RateLimit(2);

  expect([0, 1, 59_999, 60_000, 60_001, 60_002].map((now) => asks.allow(now))).toEqual([
    ...[true, true, false],
    ...[true, true, false],
  ]);
});

test('starts a new minute when the clock is set back', () => {
  const asks = new RateLimit(1);
  asks.allow(600_000);

  expect(asks.allow(0)).toBe(true);
});

test.each([
  ['{"title": " A\\n talk "}', 'A  talk'],
  ['{"title": "abcdef"}', 'abcde'],
  ['{"title": 1}', null],
  ['{}', null],
  ['null', null],
  ['<html>', null],
])('reads the title %j from %j', (answer, title) => {
  expect(parseTitle(answer, title?.includes('talk') ? 100 : 5)).toBe(title);
});
