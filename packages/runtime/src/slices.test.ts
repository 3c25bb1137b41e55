import { expect, test } from 'vitest';
import { runInSlices, type Steps } from './slices.ts';

test('ends a slice by the estimates of its steps, without a clock', async () => {
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
