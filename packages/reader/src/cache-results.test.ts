import { expect, test } from 'vitest';
import { cacheResults } from './cache-results.ts';

test('caches only the most recent results', () => {
  const made: string[] = [];
  const lengthOf = cacheResults(2, (text) => {
    made.push(text);
    return text.length;
  });
  const asked = ['a', 'bb', 'a', 'ccc', 'a', 'bb'].map(lengthOf);

  expect(asked).toEqual([1, 2, 1, 3, 1, 2]);
  expect(made).toEqual(['a', 'bb', 'ccc', 'bb']);
});
