import { expect, test } from 'vitest';
import { findTextChanges } from './text-changes.ts';

const apply = (former: string, next: string): string =>
  findTextChanges(former, next).reduceRight(
    (text, { from, to, newFrom, newTo }) => text.slice(0, from) + next.slice(newFrom, newTo) + text.slice(to),
    former,
  );

test.each([
  ['', ''],
  ['', 'one'],
  ['one', ''],
  ['one\ntwo\n', 'one\ntwo\n'],
  ['one\ntwo\nthree', 'zero\none\ntwo!\nthree\nfour'],
  ['one\none\none\n', 'one\none\n'],
  ['a\nb\nc\nd\n', 'd\nc\nb\na\n'],
])('turns %j into %j', (former, next) => {
  expect(apply(former, next)).toBe(next);
});

test('does not change what is between two changes', () => {
  expect(findTextChanges('one\ntwo\nthree\n', 'one!\ntwo\nthree\nfour\n')).toEqual([
    { from: 3, to: 3, newFrom: 3, newTo: 4 },
    { from: 14, to: 14, newFrom: 15, newTo: 20 },
  ]);
});
