import { expect, test } from 'vitest';
import { pairSimilar } from './successors.ts';

const createWords = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `word${start + index}`).join(' ');

test('pairs texts that share most of their words in order, whatever their titles and frontmatter', () => {
  const former = [`---\ntitle: A\n---\n# One\n\n${createWords(0, 60)}`, `# Two\n\n${createWords(100, 60)}`];
  const current = [`# Second\n\n${createWords(100, 50)} and more`, `# First\n\n${createWords(0, 60)}`];

  expect(pairSimilar(former, current).map(({ from, to }) => [from, to])).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test('pairs no texts that share less than half of their words, or the words in another order', () => {
  const former = [`# One\n\n${createWords(0, 60)}`];

  expect(pairSimilar(former, [`# One\n\n${createWords(40, 60)}`])).toEqual([]);
  expect(pairSimilar(former, [createWords(0, 60).split(' ').reverse().join(' ')])).toEqual([]);
  expect(pairSimilar(['# One\n'], ['# Two\n'])).toEqual([]);
});

test('pairs no text that is similar to several others', () => {
  const text = createWords(0, 60);

  expect(pairSimilar([text, text], [text])).toEqual([]);
  expect(pairSimilar([text], [text, `${text} and more`])).toEqual([]);
});
