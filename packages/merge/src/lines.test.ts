import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { measureCommonEnds, splitLines } from './lines.ts';

describe('splitting lines', () => {
  test('every line keeps its terminator', () => {
    expect(splitLines('a\r\n\nb\rc')).toEqual(['a\r\n', '\n', 'b\rc']);
    expect(splitLines('')).toEqual([]);
  });
});

describe('measureCommonEnds', () => {
  test.each([
    [['a\nb\nc\n', 'a\nx\nc\n'], 2, 2],
    [['a', 'a\nb'], 0, 0],
    [['xa\nb', 'a\nb'], 0, 1],
    [['a\n', 'a\na\n'], 2, 0],
    [['', 'a\n'], 0, 0],
    [['\n', '\n\n', '\n\n\n'], 1, 0],
    [['b\n', 'a\nb\n', 'c\nb\n'], 0, 2],
  ])('measures %j', (texts, prefix, suffix) => {
    expect(measureCommonEnds(texts)).toEqual({ prefix, suffix });
  });

  test('counts as many whole lines as possible', () => {
    const text = fc.array(fc.constantFrom('a\n', 'ba\n', '\n'), { maxLength: 6 }).map((lines) => lines.join(''));
    holds(
      fc.property(text, text, text, (...texts) => {
        const { prefix, suffix } = measureCommonEnds(texts);
        const lines = texts.map((each) => splitLines(each));
        expect(prefix).toBe(countSharedStart(lines));
        const rests = texts.map((each) => splitLines(each.slice(prefix)).reverse());
        expect(suffix).toBe(countSharedStart(rests));
      }),
    );
  });
});

function countSharedStart(texts: string[][]): number {
  const [first = []] = texts;
  const different = first.findIndex((line, index) => texts.some((lines) => lines[index] !== line));
  return first.slice(0, different < 0 ? first.length : different).join('').length;
}
