import { expect, test } from 'vitest';
import { findPieceEnd } from './plain-text.ts';

const cut = (text: string, limit: number) => {
  const end = findPieceEnd(text, limit);
  return [text.slice(0, end), text.slice(end)];
};

test.each([
  ['a text that fits is one piece', 'one two', 7, ['one two', '']],
  ['a word at the limit goes into the next piece', 'one two three', 10, ['one two', ' three']],
  ['a word that ends at the limit stays', 'one two three', 7, ['one two', ' three']],
  ['a line break is white space too', 'one\ntwo', 5, ['one', '\ntwo']],
  ['a text without white space is cut at the limit', 'onetwo', 3, ['one', 'two']],
  ['white space at the start alone is no end', ' onetwo', 3, [' on', 'etwo']],
  ['a character of two units stays whole', 'a😀b', 2, ['a', '😀b']],
  ['characters of two units are cut between them', '😀😀', 2, ['😀', '😀']],
  ['an empty text is one piece', '', 3, ['', '']],
])('%s', (_, text, limit, pieces) => {
  expect(cut(text, limit)).toEqual(pieces);
});
