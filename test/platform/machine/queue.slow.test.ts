import { afterAll, beforeAll, expect, test } from 'vitest';
import { startQueues } from './queues.ts';

let queues: Awaited<ReturnType<typeof startQueues>>;
beforeAll(async () => {
  queues = await startQueues();
});
afterAll(() => queues?.stop());

test('delivers messages in order, in batches of the configured size', async () => {
  const batches = (await queues.run('batches')) as number[][];

  expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(batches.flat()).toEqual(Array.from({ length: 25 }, (_, index) => index));
});

test('an incomplete batch waits for more messages until its timeout', async () => {
  expect(await queues.run('messages that arrive in time')).toEqual([[1, 2]]);
});

test('a full batch is handled without waiting', async () => {
  expect(await queues.run('a full batch')).toEqual([[1, 2]]);
});

test('delivers a delayed message later', async () => {
  expect(await queues.run('a delay')).toEqual([3, 2, 1]);
});

test('retries a message after its delay, in a separate batch with the same ID', async () => {
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

test('retries the unacknowledged messages of a failed batch', async () => {
  expect(await queues.run('a consumer that throws')).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [1, 2],
    [3, 2],
  ]);
});

test('uses the first acknowledgement or retry of a message, and ignores later ones', async () => {
  expect(await queues.run('what is said twice of a message')).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
});

test('moves a message that failed too often to the dead letter queue', async () => {
  expect(await queues.run('dead letters')).toEqual({ buried: [7], attempts: [1, 2, 3] });
});

test('drops a failed message if there is no dead letter queue, and continues', async () => {
  expect(await queues.run('no queue for dead letters')).toEqual([0, 1, 2, 3, 4]);
});

test('handles at most two batches concurrently', async () => {
  expect(await queues.run('two at once')).toEqual({ order: Array.from({ length: 16 }, (_, index) => index), most: 2 });
});

test('handles as many batches concurrently as configured', async () => {
  expect(await queues.run('as many at once as are set')).toEqual([1, 3, 8]);
});

test('handles a batch only after the call that sends it has returned', async () => {
  expect(await queues.run('a turn of its own')).toEqual(['sent', 'consumed']);
});
