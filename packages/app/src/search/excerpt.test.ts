import { expect, test } from 'vitest';
import { getExcerpt } from './excerpt.ts';

test.each([
  ['short text', [0, 5], 'short text'],
  [
    'The first words are before the place that was found by the search',
    [46, 51],
    '…place that was found by the search',
  ],
  [`${'word '.repeat(20)}end`, [0, 4], `${'word '.repeat(9)}wor…`],
] as [string, [number, number], string][])('shows the part of %j around the first match', (body, match, expected) => {
  expect(getExcerpt({ body, matches: { title: [], body: [match] } })).toBe(expected);
});
