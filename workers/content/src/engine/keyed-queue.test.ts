import { expect, test } from 'vitest';
import { KeyedQueue } from './keyed-queue.ts';

const never = new Promise<void>(() => undefined);

test('runs calls with the same key one after another, and others at the same time', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const run = (names: string[], label: string, work: Promise<void> = Promise.resolve()) =>
    queue.run(names, async () => {
      log.push(`${label} starts`);
      await work;
      log.push(`${label} ends`);
    });

  const calls = [run(['a'], 'one', first.promise), run(['a', 'b'], 'two'), run(['c'], 'three'), run(['b'], 'four')];
  await calls[2];
  expect(log).toEqual(['one starts', 'three starts', 'three ends']);
  first.resolve();
  await Promise.all(calls);

  expect(log.slice(3)).toEqual(['one ends', 'two starts', 'two ends', 'four starts', 'four ends']);
  expect(['a', 'b', 'c'].map((name) => queue.has(name))).toEqual([false, false, false]);
});

test('a failed call does not fail the next one', async () => {
  const queue = new KeyedQueue();
  const failed = queue.run(['a'], async () => {
    throw new Error('failed');
  });
  const next = queue.run(['a'], async () => 'next');

  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('does not wait longer than the limit for a call that never ends', async () => {
  const queue = new KeyedQueue({ maxWaitMilliseconds: 5 });
  queue.run(['a'], () => never);

  expect(await queue.run(['a'], async () => 'next')).toBe('next');
});
