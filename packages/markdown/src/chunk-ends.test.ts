import { expect, test } from 'vitest';
import { findPieceEnd } from './plain-text.ts';

const cut = (text: string, limit: number) => {
  const end = findPieceEnd(text, limit);
  return [text.slice(0, end), text.slice(end)];
};

test.each([
  ['a text that fits is one chunk', 'one two', 7, ['one two', '']],
  ['a word at the limit goes into the next chunk', 'one two three', 10, ['one two', ' three']],
  ['a word that ends at the limit stays in its chunk', 'one two three', 7, ['one two', ' three']],
  ['a line break is white space too', 'one\ntwo', 5, ['one', '\ntwo']],
  ['a text without white space is cut at the limit', 'onetwo', 3, ['one', 'two']],
  ['white space only at the start does not end a chunk', ' onetwo', 3, [' on', 'etwo']],
  ['a surrogate pair is not split', 'a😀b', 2, ['a', '😀b']],
  ['surrogate pairs are split between each other', '😀😀', 2, ['😀', '😀']],
  ['an empty text is one chunk', '', 3, ['', '']],
])('splits text into chunks: %s', (_, text, limit, pieces) => {
  expect(cut(text, limit)).toEqual(pieces);
});
