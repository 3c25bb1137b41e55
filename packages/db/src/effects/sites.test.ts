import { expect, test } from 'vitest';
import { findEditedPages } from './sites.ts';

const edits = JSON.stringify([
  [10, []],
  [20, ['one']],
  [30, ['two', 'three']],
]);

test.each([
  ['the current version', 30, 30, []],
  ['the version before the last edit', 20, 30, ['two', 'three']],
  ['the version before all stored edits', 10, 30, ['one', 'two', 'three']],
  ['an unknown version', 15, 30, undefined],
  ['a version before another change', 20, 40, undefined],
])('findEditedPages returns the pages that were edited since %s', (_, since, shown, pages) => {
  expect(findEditedPages(edits, { since, shown })).toEqual(pages);
});
