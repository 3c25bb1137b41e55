import { expect, test } from 'vitest';
import { createConflictKeys, readConflicts, resolveText } from './conflict-texts.ts';

const mark = (length: number, [incoming, base, main]: [string, string, string]) =>
  `${'<'.repeat(length)} change request\n${incoming}${'|'.repeat(length)} base\n${base}${'='.repeat(length)}\n` +
  `${main}${'>'.repeat(length)} main\n`;

const first = mark(7, ['mine\n', 'base\n', 'live\n']);
const second = mark(7, ['', 'gone\n', 'kept\n']);

test('splits a text into its conflicts and the lines between them', () => {
  expect(readConflicts(`a\n${first}b\n${second}`, 'a\nlive\nb\nkept\n')).toEqual([
    'a\n',
    { incoming: 'mine\n', base: 'base\n', main: 'live\n' },
    'b\n',
    { incoming: '', base: 'gone\n', main: 'kept\n' },
  ]);
});

test('leaves markers that are part of the text', () => {
  const text = `${first}${mark(8, ['x\n', '', 'y\n'])}`;

  expect(readConflicts(text, first)).toEqual([first, { incoming: 'x\n', base: '', main: 'y\n' }]);
});

test('returns nothing for incomplete markers and for a text without markers', () => {
  expect(readConflicts('<<<<<<< change request\na\n', '')).toBeUndefined();
  expect(readConflicts('Title\n=======\n', '')).toBeUndefined();
});

test('returns the resolved text when every conflict has a choice', () => {
  const parts = readConflicts(`a\n${first}${second}`, '') ?? [];

  expect(resolveText(parts, ['mine'])).toBeUndefined();
  expect(resolveText(parts, ['mine', 'live'])).toBe('a\nmine\nkept\n');
  expect(resolveText(parts, ['both', 'mine'])).toBe('a\nmine\n\nlive\n');
  expect(resolveText(parts, [{ text: 'other' }, { text: '' }])).toBe('a\nother\n');
});

test('the key of a conflict depends only on its own sides', () => {
  const [one, other] = [
    { incoming: 'mine\n', main: 'live\n' },
    { incoming: 'more\n', main: 'live\n' },
  ];
  const keys = createConflictKeys([one, one, other]);

  expect(new Set(keys).size).toBe(3);
  expect(createConflictKeys([other, one])).toEqual([keys[2], keys[0]]);
});
