import { expect, test } from 'vitest';
import { TextStore } from './rendered-documents.ts';

/** A bucket in memory that counts the calls of `get`. */
function createBucket() {
  const stored = new Map<string, { text: string; uploaded: Date }>();
  let [reads, puts] = [0, 0];
  const bucket = {
    get: async (key: string) => {
      reads += 1;
      const object = stored.get(key);
      return object === undefined ? null : { text: async () => object.text };
    },
    put: async (key: string, bytes: Uint8Array) => {
      stored.set(key, { text: new TextDecoder().decode(bytes), uploaded: new Date(puts) });
      puts += 1;
    },
    delete: async (keys: string[]) => {
      for (const key of keys) stored.delete(key);
    },
    list: async () => ({
      objects: [...stored].map(([key, { text, uploaded }]) => ({ key, uploaded, size: text.length })).toReversed(),
    }),
  } as unknown as R2Bucket;
  return { bucket, getReads: () => reads, getNames: () => [...stored.keys()].map((key) => key.slice(10)) };
}

test('a new instance finds the texts of a former one, and calls the bucket only for these', async () => {
  const { bucket, getReads } = createBucket();
  await new TextStore(10).store(bucket, 'one', 'first');
  const store = new TextStore(10);

  expect([await store.find(bucket, 'one'), await store.find(bucket, 'two'), getReads()]).toEqual([
    'first',
    undefined,
    1,
  ]);
});

test.each(['the same instance', 'a new instance'])('%s deletes the oldest texts above the limit', async (instance) => {
  const { bucket, getNames } = createBucket();
  const store = new TextStore(10);
  for (const name of ['one', 'two', 'three']) await store.store(bucket, name, '123');
  await store.store(bucket, 'one', '456');
  const last = instance === 'the same instance' ? store : new TextStore(10);
  await last.store(bucket, 'four', '7890');

  expect(getNames()).toEqual(['one', 'three', 'four']);
  expect([await last.find(bucket, 'one'), await last.find(bucket, 'two')]).toEqual(['456', undefined]);
});

test('does not store a text above the limit', async () => {
  const { bucket, getNames } = createBucket();
  await new TextStore(10).store(bucket, 'one', 'éééééé');

  expect(getNames()).toEqual([]);
});

test('deletes texts that were stored before a time', async () => {
  const { bucket, getNames, getReads } = createBucket();
  const store = new TextStore(10);
  for (const name of ['one', 'two', 'three']) await store.store(bucket, name, '123');
  await store.sweep(bucket, 2);

  expect([getNames(), await store.find(bucket, 'one'), getReads()]).toEqual([['three'], undefined, 0]);
});

test('reads the names again after the bucket has failed', async () => {
  const { bucket } = createBucket();
  const store = new TextStore(10);
  const failing = { ...bucket, list: () => Promise.reject(new Error('The disk is full.')) };
  await expect(store.find(failing, 'one')).rejects.toThrow('The disk is full.');
  await store.store(bucket, 'one', 'first');

  expect(await store.find(bucket, 'one')).toBe('first');
});
