import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { createSnippet, findMatches, WordMatcher } from './snippet.ts';
import { findWords, isUnspaced, unspaced, type Word } from './words.ts';

const cutRanges = (text: string, ranges: [number, number][]) => ranges.map(([start, end]) => text.slice(start, end));
/** Creates a matcher in which each word is a separate term. */
const createMatcher = (...names: string[]) => new WordMatcher(new Map(names.map((name, term) => [name, term])));
const listWords = (text: string) => [...findWords(text)].map((word) => word.text);

const piece = fc.constantFrom(
  ...['install', 'Install', 'hash', 'hash-map', 'HashMap', 'café', "don't", '所有权', '\u{20000}', '😀', '\u{10428}'],
  ...['filler', 'words', 'x'.repeat(350), '\u{10428}'.repeat(170), '😀'.repeat(160), '.', '\n'],
);
const text = fc
  .array(fc.tuple(piece, fc.constantFrom(' ', ' ', '')), { maxLength: 90 })
  .map((pieces) => pieces.flat().join(''));
const words = fc.subarray(['install', 'hash', 'hashmap', 'map', 'cafe', 'dont', '所有', '有权', '\u{20000}\u{20000}']);

const runs = new RegExp(`${unspaced.source}+|[^${unspaced.source.slice(1)}+`, 'gu');
/**
 * Finds the words of a text, and those of its runs in scripts with or without spaces between words. For example,
 * `所有HashMap` contains the word `hashmap`.
 */
const findWordsOfRuns = (all: string): Pick<Word, 'text' | 'start' | 'end'>[] => [
  ...findWords(all),
  ...[...all.matchAll(runs)].flatMap(({ 0: run, index }) =>
    [...findWords(run)].map(({ text: name, start, end }) => ({ text: name, start: index + start, end: index + end })),
  ),
];

const isLetter = (character = ' ') => /[\p{L}\p{N}\p{M}]/u.test(character) && !isUnspaced(character);

/** Whether a word between these two texts is not a part of a longer word. */
const isSeparate = (name: string, before: string, after = '') =>
  isUnspaced(name) || !(isLetter([...before].at(-1)) || isLetter([...after][0]));

/**
 * Whether a word is not a part of a longer word. A word that contains punctuation, such as `hash-map`, must also not be
 * joined to another word by punctuation.
 */
function isWhole(all: string, { text: name, start, end }: Word): boolean {
  const [before, after] = [all.slice(0, start), all.slice(end)];
  const isJoined = /[\p{L}\p{N}\p{M}]['_.-]$/u.test(before) || /^['_.-][\p{L}\p{N}\p{M}]/u.test(after);
  return isSeparate(name, before, after) && !(isJoined && /['_.-]/.test(all.slice(start, end)));
}

describe('findMatches', () => {
  test('returns the ranges of words, and joins adjacent ranges', () => {
    const title = 'Use the HashMap: a Hash-map hashes';

    expect(cutRanges(title, findMatches(title, createMatcher('hash', 'map')))).toEqual(['Hash', 'map']);
    expect(cutRanges(title, findMatches(title, createMatcher('hashmap')))).toEqual(['HashMap', 'Hash-map']);
    expect(cutRanges('的所有权', findMatches('的所有权', createMatcher('所有', '有权')))).toEqual(['所有权']);
    expect(findMatches(title, createMatcher())).toEqual([]);
  });

  test('finds a word whose parts are written separately, but no word across the parts of a longer word', () => {
    const title = "An e-mail's E_mail or email; don't call unwrap_or_else, re-mail, e-mails or e- mail";

    expect(cutRanges(title, findMatches(title, createMatcher('email', 'dont', 'unwraporelse', 'orelse')))).toEqual([
      ...['e-mail', 'E_mail', 'email', "don't", 'unwrap_or_else'],
    ]);
    expect(cutRanges('hash-map', findMatches('hash-map', createMatcher('hash')))).toEqual(['hash']);
  });

  test('finds words between Chinese characters, and next to characters that get longer when folded', () => {
    expect(findMatches('使用Vite构建', createMatcher('vite'))).toEqual([[2, 6]]);
    expect(findMatches('所有Straße İßé café', createMatcher('所有', 'cafe'))).toEqual([
      [0, 2],
      [13, 17],
    ]);
  });

  test('accepts words with the special characters of regular expressions', () => {
    const [joined] = listWords('⑴'.repeat(20));
    expect(joined).toMatch(/^(?:\(1\)){13}\($/);

    expect(findMatches('(1) map', createMatcher(joined ?? '', 'map'))).toEqual([[4, 7]]);
  });

  test('ranges consist of whole words, and every match of a whole word is in a range', () => {
    holds(
      fc.property(text, words, (title, words) => {
        const ranges = findMatches(title, createMatcher(...words));
        const matches = [...findWords(title)].filter((word) => words.includes(word.text));
        expectSeparate(ranges, title.length);
        for (const match of matches.filter((each) => isWhole(title, each)))
          expect(ranges.some(([from, to]) => from <= match.start && match.end <= to)).toBe(true);
        for (const [from, to] of ranges) {
          const matchingWords = findWordsOfRuns(title.slice(from, to)).filter((word) => words.includes(word.text));
          expect(
            matchingWords.some(({ start, text: name }) => start === 0 && isSeparate(name, title.slice(0, from))),
          ).toBe(true);
          expect(
            matchingWords.some(({ end, text: name }) => end === to - from && isSeparate(name, '', title.slice(to))),
          ).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('createSnippet', () => {
  const filler = 'Nothing to see here. '.repeat(40);

  test('shows the words, with a few words before them', () => {
    const { text: shown, matches } = createSnippet(
      `${filler}A borrowed zebra waits. ${filler}`,
      createMatcher('zebra'),
    );

    expect(shown).toMatch(/^….* A borrowed zebra waits\. .*…$/);
    expect(cutRanges(shown, matches)).toEqual(['zebra']);
  });

  test('prefers the part with the most distinct words', () => {
    const { text: shown, matches } = createSnippet(
      `zebra zebra zebra ${filler} zebra and heron ${filler} heron`,
      createMatcher('zebra', 'heron'),
    );

    expect(cutRanges(shown, matches)).toEqual(['zebra', 'heron']);
  });

  test('prefers the part with the most terms to the part with the most forms of one term', () => {
    const matcher = new WordMatcher(
      new Map([
        ['zebra', 0],
        ['zebras', 0],
        ['heron', 1],
      ]),
    );

    const { text: shown, matches } = createSnippet(`zebra zebras ${filler} zebra and heron ${filler}`, matcher);

    expect(cutRanges(shown, matches)).toEqual(['zebra', 'heron']);
  });

  test('shows the beginning if no word occurs, and the whole text if it is short', () => {
    expect(createSnippet('A short text.', createMatcher('zebra'))).toEqual({ text: 'A short text.', matches: [] });
    expect(createSnippet('', createMatcher('zebra'))).toEqual({ text: '', matches: [] });
    expect(createSnippet(filler, createMatcher('zebra')).text).toMatch(/^Nothing to see here\. .*…$/);
  });

  test('a snippet is a part of the text with a limited length, and splits no character', () => {
    holds(
      fc.property(text, words, (all, words) => {
        const { text: shown } = createSnippet(all, createMatcher(...words));
        const isCutBefore = shown.startsWith('…');
        const isCutAfter = shown.endsWith('…');
        const part = shown.slice(isCutBefore ? 1 : 0, isCutAfter ? -1 : undefined);
        expect(part.length).toBeLessThanOrEqual(300);
        expect(all).toContain(part);
        if (!isCutBefore) expect(all.startsWith(part)).toBe(true);
        if (!isCutAfter) expect(all.endsWith(part)).toBe(true);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('each range contains a matching word, and a text with a matching word has a range', () => {
    holds(
      fc.property(text, words, (all, words) => {
        const { text: shown, matches } = createSnippet(all, createMatcher(...words));
        expectSeparate(matches, shown.length);
        for (const part of cutRanges(shown, matches))
          expect(listWords(part).some((word) => words.includes(word))).toBe(true);
        if (findMatches(all, createMatcher(...words)).length > 0) expect(matches).not.toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Expects ranges in order that neither touch each other nor exceed the text. */
function expectSeparate(ranges: [number, number][], length: number): void {
  let last = -1;
  for (const [start, end] of ranges) {
    expect(last < start && start < end && end <= length).toBe(true);
    last = end;
  }
}
