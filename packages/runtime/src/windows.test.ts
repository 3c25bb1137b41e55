import { expect, test } from 'vitest';
import { isOverLimit, RequestWindows } from './windows.ts';

const minute = 60_000;

test('allows a key up to its limit in a minute, and again in the next', () => {
  const windows = new RequestWindows(10);
  const takes = [0, 1, 2, minute - 1].map((now) => isOverLimit(windows.countRequest('a', 3, now)));

  expect(takes).toEqual([false, false, false, true]);
  expect(windows.countRequest('a', 3, minute)).toEqual({ limit: 3, count: 1, ends: 2 * minute });
});

test('counts keys separately, and reading a count does not increase it', () => {
  const windows = new RequestWindows(10);
  windows.countRequest('a', 1, 0);

  expect(windows.peek('a', 1, 1)).toEqual({ limit: 1, count: 1, ends: minute });
  expect(windows.peek('b', 1, 1)).toEqual({ limit: 1, count: 0, ends: 1 + minute });
  expect(windows.peek('a', 1, minute)).toMatchObject({ count: 0 });
  expect(windows.size).toBe(1);
});

test('a key that was exhausted in another isolate is blocked until its window ends', () => {
  const windows = new RequestWindows(10);

  expect(isOverLimit(windows.exhaust('a', 5, 0))).toBe(true);
  expect(isOverLimit(windows.countRequest('a', 5, minute - 1))).toBe(true);
  expect(isOverLimit(windows.countRequest('a', 5, minute))).toBe(false);
});

test('uses limited memory for any number of keys, and keeps the newest keys', () => {
  const windows = new RequestWindows(100);
  for (let key = 0; key < 100_000; key += 1) {
    windows.countRequest(String(key), 1, key % 1000);
    expect(windows.size).toBeLessThanOrEqual(100);
  }

  expect(windows.peek('99999', 1, 1000).count).toBe(1);
  expect(windows.peek('99899', 1, 1000).count).toBe(0);
});

test('removes expired keys first', () => {
  const windows = new RequestWindows(3);
  for (const key of ['a', 'b']) windows.countRequest(key, 1, 0);
  windows.countRequest('c', 1, minute - 1);
  windows.countRequest('d', 1, minute);

  expect(windows.size).toBe(2);
  expect(windows.peek('c', 1, minute).count).toBe(1);
});

test('counts a request with a slightly earlier time in the current window', () => {
  const windows = new RequestWindows(10);

  expect([minute, minute - 20].map((now) => windows.countRequest('a', 1, now).count)).toEqual([1, 2]);
});

test('a clock that is set back ends the current windows', () => {
  const windows = new RequestWindows(10);
  for (const key of ['a', 'b']) windows.exhaust(key, 1, 60 * minute);

  expect(windows.peek('a', 1, 0).count).toBe(0);
  expect(isOverLimit(windows.countRequest('a', 1, 0))).toBe(false);
  expect(windows.size).toBe(1);
});

test('a request is subtracted only from the window that counted it', () => {
  const windows = new RequestWindows(10);
  const first = windows.countRequest('a', 5, 0);
  windows.uncountRequest('a', first);
  expect(windows.peek('a', 5, 0).count).toBe(0);
  windows.countRequest('a', 5, minute);
  windows.uncountRequest('a', first);
  windows.uncountRequest('b', first);

  expect(windows.peek('a', 5, minute).count).toBe(1);
});
