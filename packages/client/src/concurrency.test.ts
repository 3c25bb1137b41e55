import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrently } from './concurrency.ts';

test('keeps the order of the items, and limits concurrent calls', async () => {
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (turns, index) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    running -= 1;
    return `${index}: ${turns}`;
  });
  expect(results).toEqual(['0: 5', '1: 1', '2: 4', '3: 2', '4: 3']);
  expect(most).toBe(2);
});

test('makes no call for an empty list, and throws the first error', async () => {
  const fail = (item: number) => Promise.reject(new Error(`no ${item}`));
  expect(await mapConcurrently([], 2, fail)).toEqual([]);
  await expect(mapConcurrently([1, 2, 3], 2, fail)).rejects.toThrow('no 1');
});
