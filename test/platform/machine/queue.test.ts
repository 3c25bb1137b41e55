import { afterAll, beforeAll, expect, test } from 'vitest';
import { startQueues } from './queues.ts';

let queues: Awaited<ReturnType<typeof startQueues>>;
beforeAll(async () => {
  queues = await startQueues();
});
afterAll(() => queues?.stop());

test('messages come in batches of the size that is set, in the order in which they were sent', async () => {
  const batches = (await queues.run('batches')) as number[][];

  expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(batches.flat()).toEqual(Array.from({ length: 25 }, (_, index) => index));
});

test('a batch waits for more until its time is over', async () => {
  expect(await queues.run('more that comes in time')).toEqual([[1, 2]]);
});

test('a full batch waits for nothing', async () => {
  expect(await queues.run('a full batch')).toEqual([[1, 2]]);
});

test('a message may be sent to come later', async () => {
  expect(await queues.run('a delay')).toEqual([3, 2, 1]);
});

test('a message comes again after its delay, under its id, and what came with it does not', async () => {
  expect(await queues.run('a retry')).toEqual({
    seen: [
      [1, 1],
      [2, 1],
      [3, 1],
      [1, 2],
      [1, 3],
    ],
    ids: 3,
  });
});

test('of a batch that fails, what was not acknowledged comes again', async () => {
  expect(await queues.run('a consumer that throws')).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [1, 2],
    [3, 2],
  ]);
});

test('what is said first of a message counts', async () => {
  expect(await queues.run('what is said twice of a message')).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
});

test('a message that failed too often goes to the dead letters', async () => {
  expect(await queues.run('dead letters')).toEqual({ buried: [7], attempts: [1, 2, 3] });
});

test('without a queue for dead letters it is dropped, and what comes after it is not held up', async () => {
  expect(await queues.run('no queue for dead letters')).toEqual([0, 1, 2, 3, 4]);
});

test('two batches are handled at once, and no more', async () => {
  expect(await queues.run('two at once')).toEqual({ order: Array.from({ length: 16 }, (_, index) => index), most: 2 });
});

test('as many batches are handled at once as the consumer says', async () => {
  expect(await queues.run('as many at once as are set')).toEqual([1, 3, 8]);
});

test('a batch is not handled within the call that sends it', async () => {
  expect(await queues.run('a turn of its own')).toEqual(['sent', 'consumed']);
});
