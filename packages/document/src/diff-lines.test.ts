import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffStat } from './diff-lines.ts';
import { splitLines } from './lines.ts';

describe('counting changed lines', () => {
  test.each([
    ['', '', 0, 0],
    ['', 'a\nb', 2, 0],
    ['a\nb\n', '', 0, 2],
    ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['a\n', 'a', 1, 1],
    ['a\r\nb\n', 'a\nb\n', 1, 1],
    ['a\nb\nc\nd\n', 'd\na\nb\nc\n', 1, 1],
  ])('%j to %j', (before, after, added, removed) => {
    expect(diffStat(before, after)).toEqual({ added, removed });
  });

  test('the counts are those of a longest common subsequence', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n'), { maxLength: 14 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const common = commonLength(splitLines(before), splitLines(after));
        const expected = { added: splitLines(after).length - common, removed: splitLines(before).length - common };
        expect(diffStat(before, after)).toEqual(expected);
      }),
    );
  });
});

function commonLength(a: string[], b: string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    b.forEach((other, j) => {
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    });
    row = next;
  }
  return row[b.length] ?? 0;
}
