import { expect, test } from 'vitest';
import { Asks } from './asks.ts';

test('so many are asked in a minute, and again in the next', () => {
  const asks = new Asks(2);

  expect([0, 1, 59_999, 60_000, 60_001, 60_002].map((now) => asks.take(now))).toEqual([
    ...[true, true, false],
    ...[true, true, false],
  ]);
});

test('a clock that is set back holds nobody up', () => {
  const asks = new Asks(1);
  asks.take(600_000);

  expect(asks.take(0)).toBe(true);
});
