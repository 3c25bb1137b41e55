import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { diffWords } from './diff-words.ts';

test('shows removed words before the words that replace them', () => {
  expect(diffWords('Run the installer now.', 'Run our installer.')).toEqual([
    { text: 'Run ' },
    { text: 'the', change: 'removed' },
    { text: 'our', change: 'added' },
    { text: ' installer' },
    { text: ' now', change: 'removed' },
    { text: '.' },
  ]);
});

test('replaces neighboring words as one part', () => {
  expect(diffWords('Take the big red bag home today.', 'Take a small blue bag home today.')).toEqual([
    { text: 'Take ' },
    { text: 'the big red', change: 'removed' },
    { text: 'a small blue', change: 'added' },
    { text: ' bag home today.' },
  ]);
});

test('replaces a text that has hardly a word in common', () => {
  const [before, after] = ['Install the tool first.', 'Nobody expected that question'];
  expect(diffWords(before, after)).toEqual([
    { text: before, change: 'removed' },
    { text: after, change: 'added' },
  ]);
  expect(diffWords('', after)).toEqual([{ text: after, change: 'added' }]);
});

test('contains every character of both texts, in as few parts as possible', () => {
  const text = fc.array(fc.constantFrom('a', 'word', ' ', '\n', '.', '😀', 'ä'), { maxLength: 20 });
  holds(
    fc.property(text, text, (old, next) => {
      const [before, after] = [old.join(''), next.join('')];
      const parts = diffWords(before, after);
      const join = (left: 'added' | 'removed') =>
        parts.flatMap(({ text, change }) => (change === left ? [] : [text])).join('');
      expect([join('added'), join('removed')]).toEqual([before, after]);
      expect(parts.every(({ change }, index) => index === 0 || change !== parts[index - 1]?.change)).toBe(true);
    }),
  );
});
