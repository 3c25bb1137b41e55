import { expect, test } from 'vitest';
import { cacheResults } from './cache-results.ts';

test('caches only the most recent results', () => {
  const madeKeys: string[] = [];
  const lengthOf = cacheResults(2, (text) => {
    madeKeys.push(text);
    return text.length;
  });
  const asked = ['a', 'bb', 'a', 'ccc', 'a', 'bb'].map(lengthOf);

  expect(asked).toEqual([1, 2, 1, 3, 1, 2]);
  expect(madeKeys).toEqual(['a', 'bb', 'ccc', 'bb']);
});
