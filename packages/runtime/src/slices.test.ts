import { expect, test } from 'vitest';
import { mapInSlices, runInSlices, type Steps } from './slices.ts';

test('ends a slice after the estimated cost of its steps, without reading a clock', async () => {
  const order: string[] = [];
  function* work(name: string): Steps<string> {
    for (let count = 0; count < 3; count += 1) {
      order.push(name);
      yield 5000;
    }
    return name;
  }

  expect(await Promise.all([runInSlices(work('one')), runInSlices(work('two'))])).toEqual(['one', 'two']);
  expect(order).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
});

test('ends a slice by the estimates of items', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    mapInSlices(
      [1, 2, 3],
      (item) => order.push(`${name} ${item}`),
      (item) => (item === 1 ? 0 : 5000),
    );
  await Promise.all([work('one'), work('two')]);

  expect(order).toEqual(['one 1', 'one 2', 'two 1', 'two 2', 'one 3', 'two 3']);
});
