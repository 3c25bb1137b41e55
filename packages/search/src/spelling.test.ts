import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { countBits, countEdits, getLetterBits, getMaxEdits } from './spelling.ts';

/** Counts the edits of optimal string alignment by its recursive definition. */
function countNaively(one: string, other: string): number {
  const known = new Map<string, number>();
  const count = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column;
    const key = `${row}/${column}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const isSame = one[row - 1] === other[column - 1];
    const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
    const edits = Math.min(
      count(row - 1, column) + 1,
      count(row, column - 1) + 1,
      count(row - 1, column - 1) + (isSame ? 0 : 1),
      row > 1 && column > 1 && isSwapped ? count(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
    );
    known.set(key, edits);
    return edits;
  };
  return count(one.length, other.length);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), maxLength: 9 });

describe('countEdits', () => {
  test.each([
    ['install', 'install', 0],
    ['instal', 'install', 1],
    ['instlal', 'install', 1],
    ['imstal', 'install', 2],
    ['ca', 'abc', undefined],
    ['abcd', 'efgh', undefined],
    ['', 'ab', 2],
    ['', 'abc', undefined],
  ])('between %j and %j', (one, other, edits) => {
    expect(countEdits(one, other, 2)).toBe(edits);
  });

  test('equals a naive implementation up to the maximum', () => {
    holds(
      fc.property(word, word, fc.nat({ max: 4 }), (one, other, max) => {
        const edits = countNaively(one, other);
        expect(countEdits(one, other, max)).toBe(edits <= max ? edits : undefined);
      }),
      { numRuns: 5000 },
    );
  });
});

test('words within `n` edits differ in at most `2 * n` letters', () => {
  const letters = fc.string({ unit: 'grapheme', maxLength: 8 });
  holds(
    fc.property(fc.oneof(word, letters), fc.oneof(word, letters), (one, other) => {
      const differing = countBits(getLetterBits(one) ^ getLetterBits(other));
      expect(differing).toBeLessThanOrEqual(2 * countNaively(one, other));
    }),
    { numRuns: 2000 },
  );
});

test('countBits counts all 32 bits', () => {
  expect([0, 1, 255, 1 << 31, -1].map(countBits)).toEqual([0, 1, 8, 1, 32]);
});

test.each([
  ['word', 0],
  ['words', 1],
  ['wordings', 1],
  ['wordiness', 2],
])('%s may have %i errors', (text, edits) => {
  expect(getMaxEdits(text)).toBe(edits);
});
