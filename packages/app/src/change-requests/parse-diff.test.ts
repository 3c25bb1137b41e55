import { diffLines } from '@octavo/merge';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { pairLines, parseDiff, toUnifiedLines } from './parse-diff.ts';
import { markWords } from './words.ts';

const compare = (before: string, after: string) => parseDiff(diffLines(before, after).diff ?? '');
const join = (parts: { text: string }[]) => parts.map(({ text }) => text).join('');
const show = (parts: { text: string; isChanged: boolean }[]) =>
  parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');

describe('parseDiff', () => {
  test('numbers the lines of both texts', () => {
    const [lines] = compare('a\nb\nc\n', 'a\nB\nc\nd\n');

    expect(lines?.map(({ kind, before, after, parts }) => [kind, before, after, join(parts)])).toEqual([
      ['unchanged', 1, 1, 'a'],
      ['removed', 2, undefined, 'b'],
      ['added', undefined, 2, 'B'],
      ['unchanged', 3, 3, 'c'],
      ['added', undefined, 4, 'd'],
    ]);
  });

  test('numbers the lines of a new text from 1, and marks a missing final newline', () => {
    expect(compare('', 'a\nb')).toEqual([
      [
        { kind: 'added', after: 1, parts: [{ text: 'a', isChanged: false }] },
        { kind: 'added', after: 2, parts: [{ text: 'b', isChanged: false }], isUnterminated: true },
      ],
    ]);
  });

  test('returns the lines of both texts for random texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b b', '-c', '+d', '@@', ''), { maxLength: 12 });
    holds(
      fc.property(text, text, (before, after) => {
        const [old, next] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''));
        for (const lines of compare(old ?? '', next ?? '')) {
          const unified = toUnifiedLines(pairLines(lines));
          expect(unified.map(({ kind }) => kind)).toEqual(lines.map(({ kind }) => kind));
          for (const { parts, before: from, after: to } of unified) {
            if (from !== undefined) expect(join(parts)).toBe(before[from - 1]);
            if (to !== undefined) expect(join(parts)).toBe(after[to - 1]);
          }
        }
      }),
    );
  });
});

describe('pairLines', () => {
  test('places a changed line beside its former version with the changed words marked', () => {
    const [lines = []] = compare('Install the tool first.\n', 'Install version 2 of the tool first.\nThen run it.\n');
    const rows = pairLines(lines).map(({ before, after }) => [before, after].map((line) => line && show(line.parts)));

    expect(rows).toEqual([
      ['Install the tool first.', 'Install [version 2 of ]the tool first.'],
      [undefined, 'Then run it.'],
    ]);
  });
});

describe('markWords', () => {
  test('marks nothing in texts that have hardly a word in common', () => {
    expect(markWords('Install the tool first.', 'Nobody expected that question')).toBeUndefined();
  });

  test('keeps every character of both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'word', ' ', '\n', '.', '😀', 'ä'), { maxLength: 20 });
    holds(
      fc.property(text, text, (before, after) => {
        const marked = markWords(before.join(''), after.join(''));
        if (marked === undefined) return;
        expect([join(marked.before), join(marked.after)]).toEqual([before.join(''), after.join('')]);
        const keep = (parts: typeof marked.before) =>
          join(parts.filter(({ isChanged }) => !isChanged)).replace(/\s/g, '');
        expect(keep(marked.before)).toBe(keep(marked.after));
      }),
    );
  });
});
