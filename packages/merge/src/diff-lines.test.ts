import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { diffLines } from './diff-lines.ts';
import { splitLines } from './lines.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'a\r'), { maxLength: 30 });
const text = fc.tuple(lines, fc.boolean()).map(([all, ended]) => all.join('\n') + (ended ? '\n' : ''));

describe('a unified diff', () => {
  test('has three lines of context around each change', () => {
    const createLines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`);
    const before = createLines(20);
    const after = before.map((line) => (line === '5\n' || line === '15\n' ? 'x\n' : line));

    expect(diffLines(before.join(''), `${after.join('')}end`).diff).toBe(
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n' +
        '@@ -12,9 +12,10 @@\n 12\n 13\n 14\n-15\n+x\n 16\n 17\n 18\n 19\n 20\n+end\n\\ No newline at end of file\n',
    );
  });

  test.each([
    ['', 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
    ['a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
    ['a', 'a\n', '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n'],
    ['a\n', 'a\n', ''],
  ])('of %j and %j', (before, after, diff) => {
    expect(diffLines(before, after).diff).toBe(diff);
  });

  test('produces the new text when applied to the old text', () => {
    holds(
      fc.property(text, text, (before, after) => {
        expect(apply(before, diffLines(before, after).diff ?? 'none')).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  test('has minimal hunks for small edits in a long text', () => {
    const edits = fc.array(fc.tuple(fc.nat(99), fc.constantFrom('insert', 'remove', 'write')), { maxLength: 5 });
    holds(
      fc.property(edits, (edits) => {
        const old = Array.from({ length: 100 }, (_, index) => `line ${index % 40}\n`);
        const next = [...old];
        for (const [at, kind] of edits)
          next.splice(at, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [`new ${at}\n`]));
        const { diff = 'none', added, removed } = diffLines(old.join(''), next.join(''));
        expect(apply(old.join(''), diff)).toBe(next.join(''));
        expect(diff.split('\n').length).toBeLessThanOrEqual(1 + 7 * (added + removed) + added + removed);
      }),
    );
  });

  test('is omitted beyond the limit, but its line counts are returned', () => {
    const { length } = diffLines('a\n', 'b\n').diff ?? '';

    expect(diffLines('a\n', 'b\n', length).diff).toHaveLength(length);
    expect(diffLines('a\n', 'b\n', length - 1)).toEqual({ added: 1, removed: 1, diff: undefined });
  });
});

/** Applies the hunks of a unified diff. Every context and removed line must match. */
function apply(before: string, diff: string): string {
  const old = splitLines(before);
  const result: string[] = [];
  let at = 0;
  const steps = splitLines(diff.replaceAll('\n\\ No newline at end of file\n', '\0'))
    .flatMap((line) => line.split(/(?<=\0)/))
    .map((line) => line.replace('\0', ''));
  for (const step of steps) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(step)?.slice(1).map(Number);
    if (hunk !== undefined) {
      const [start = 0, count = 0, newStart = 0, newCount = 0] = hunk;
      const from = count === 0 ? start : start - 1;
      result.push(...old.slice(at, from));
      at = from;
      expect(result).toHaveLength(newCount === 0 ? newStart : newStart - 1);
    } else {
      const line = step.slice(1);
      if (step[0] !== '+') expect(old[at]).toBe(line);
      if (step[0] !== '+') at += 1;
      if (step[0] !== '-') result.push(line);
    }
  }
  return [...result, ...old.slice(at)].join('');
}

describe('counting changed lines', () => {
  test.each([
    ['', '', 0, 0],
    ['', 'a\nb', 2, 0],
    ['a\nb\n', '', 0, 2],
    ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['a\n', 'a', 1, 1],
    ['a\r\nb\n', 'a\nb\n', 1, 1],
    ['a\nb\nc\nd\n', 'd\na\nb\nc\n', 1, 1],
  ])('counts the changes from %j to %j', (before, after, added, removed) => {
    expect(diffLines(before, after)).toMatchObject({ added, removed });
  });

  test('the counts match a longest common subsequence', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n'), { maxLength: 14 }).map((lines) => lines.join(''));
    holds(
      fc.property(text, text, (before, after) => {
        const common = countCommonLines(splitLines(before), splitLines(after));
        const expected = { added: splitLines(after).length - common, removed: splitLines(before).length - common };
        expect(diffLines(before, after)).toMatchObject(expected);
      }),
    );
  });
});

function countCommonLines(a: string[], b: string[]): number {
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
