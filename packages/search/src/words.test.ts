import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { findWords, fold } from './words.ts';

const list = (text: string) => [...findWords(text)].map((word) => word.text);

describe('findWords', () => {
  test.each([
    ['Install the CLI.', ['install', 'the', 'cli']],
    ['', []],
    [' \t\n…—!', []],
    ['v1 x86 2024', ['v1', 'x86', '2024']],
    ['hash-map', ['hashmap', 'hash', 'map']],
    ['unwrap_or_else', ['unwraporelse', 'unwrap', 'or', 'else']],
    ['server.proxy', ['serverproxy', 'server', 'proxy']],
    ['HashMap', ['hashmap', 'hash', 'map']],
    ['parseJSONFile', ['parsejsonfile', 'parse', 'json', 'file']],
    ['HTTP2Server', ['http2server', 'http2', 'server']],
    ['JSON', ['json']],
    ['--release', ['release']],
    ['a.', ['a']],
    ["don't won’t I'll DON'T", ['dont', 'wont', 'ill', 'dont']],
    ["I'd've they're we'd I'm", ['idve', 'theyre', 'wed', 'im']],
    ["the page's owner’s", ['the', 'page', 'owner']],
    ["rock'n'roll", ['rocknroll', 'rock', 'n', 'roll']],
    ['Café NAÏVE Žluťoučký cafe\u0301', ['cafe', 'naive', 'zlutoucky', 'cafe']],
    ['Straße STRASSE Øl Łódź', ['strasse', 'strasse', 'ol', 'lodz']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['ﬁle Ａｂｃ ①', ['file', 'abc', '1']],
    ['所有权', ['所有', '有权', '权']],
    ['かな', ['かな', 'な']],
    ['サーバー', ['サー', 'ーバ', 'バー', 'ー']],
    ['用HashMap吧', ['用hashmap吧', '用', 'hash', 'map', '吧']],
    ['第3章', ['第', '3', '章']],
    ['한국어', ['한국', '국어', '어']],
    ['한국어'.normalize('NFD'), ['한국', '국어', '어']],
    ["用n't", ['用nt', '用', 'n', 't']],
    ['\u0301 a', ['a']],
  ])('finds the words of %j', (text, words) => {
    expect(list(text)).toEqual(words);
  });

  test('returns the range, the position and the number of parts of each word', () => {
    const foundWords = [...findWords("A HashMap isn't")];

    expect(foundWords).toEqual([
      { text: 'a', start: 0, end: 1, position: 0, parts: 1 },
      { text: 'hashmap', start: 2, end: 9, position: 1, parts: 2 },
      { text: 'hash', start: 2, end: 6, position: 1, parts: 1 },
      { text: 'map', start: 6, end: 9, position: 2, parts: 1 },
      { text: 'isnt', start: 10, end: 15, position: 3, parts: 1 },
    ]);
  });

  test('cuts long words without splitting a surrogate pair, and leaves out long compounds', () => {
    expect(list('a'.repeat(50))).toEqual(['a'.repeat(40)]);
    expect(list('x\u{10428}'.padEnd(61, '\u{10428}'))).toEqual([`x${'\u{10428}'.repeat(19)}`]);
    expect(list(`${'a'.repeat(30)}-${'b'.repeat(30)}`)).toEqual(['a'.repeat(30), 'b'.repeat(30)]);
  });

  const piece = fc.constantFrom(
    ...[
      'a',
      'B',
      'hash',
      'Map',
      'JSON',
      '7',
      '42',
      'é',
      'É',
      'e\u0301',
      '\u0301',
      'ß',
      'ﬁ',
      'İ',
      'ǅ',
      '½',
      'Σ',
      '\u{10428}',
    ],
    ...['有', '权', 'か', '어', '가', 'ก', '\u{20000}', 'क', 'ा', 'ش', '\ue000', '\u{1d49c}'],
    ...["'", '’', '_', '.', '-', ' ', '\n', '!', '😀', "n't", "'s", '’S', "'ll", '\ud800', '\udc00'],
  );
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')) },
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const joiners = /['’_.-]/g;
  const possessive = /['’](?:s(?=\p{Lu}|['’_.-]|$)|S(?![\p{Ll}\p{M}\p{N}]|\p{Lu}(?![\p{Ll}\p{M}])))/gu;

  test('the range of a word contains its characters', () => {
    holds(
      fc.property(text, (all) => {
        for (const { text: word, start, end } of findWords(all)) {
          const characters = all.slice(start, end);
          const plainText = characters.replace(possessive, '').replace(joiners, '');
          expect(cutToLength(fold(plainText))).toBe(word);
          expect(word).not.toBe('');
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('words have consecutive positions, and a compound is followed by its parts', () => {
    holds(
      fc.property(text, (all) => {
        const foundWords = [...findWords(all)];
        let position = 0;
        for (const [index, word] of foundWords.entries()) {
          expect(word.position).toBe(position);
          if (word.parts === 1) {
            position += 1;
            continue;
          }
          const parts = foundWords.slice(index + 1, index + 1 + word.parts);
          expect(parts).toHaveLength(word.parts);
          for (const part of parts) {
            expect(part.parts).toBe(1);
            expect(part.start >= word.start && part.end <= word.end).toBe(true);
          }
        }
        const starts = foundWords.map(({ start }) => start);
        expect(starts).toEqual(starts.toSorted((one, other) => one - other));
      }),
      { numRuns: 1000 },
    );
  });

  test('every letter and digit belongs to a word', () => {
    holds(
      fc.property(text, (all) => {
        const foundWords = [...findWords(all)];
        for (const { index } of all.replace(/['’][sS]/g, '  ').matchAll(/[\p{L}\p{N}]/gu))
          expect(foundWords.some(({ start, end, parts }) => parts === 1 && start <= index && index < end)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('finds the same words in a text, its normalized form and its folded form', () => {
    const words = fc
      .array(fc.constantFrom('é', 'Å', 'e', 'ñ', 'K', 'ö', 'ç', 'Ž', 'ﬁ', '가', ' '), { maxLength: 12 })
      .map((each) => each.join('').toLowerCase());
    holds(
      fc.property(words, (all) => {
        expect(list(all.normalize('NFD'))).toEqual(list(all));
        expect(list(fold(all))).toEqual(list(all));
      }),
      { numRuns: 500 },
    );
  });

  test('the number of words and their letters grows linearly with the length of a hostile text', () => {
    const length = 3000;
    const units = [
      'a',
      'A',
      'aA',
      'Aa',
      'A1',
      'a-',
      "a'",
      "'s",
      "a't",
      '.',
      'é',
      'É\u0301',
      '\u0301',
      '有',
      '有a',
      'ﷺ',
    ];
    for (const unit of [...units, '\u{20000}', 'a_B', "s's", '½', 'a\u0301A']) {
      let [words, characters, letters] = [0, 0, 0];
      for (const { text: word, start, end } of findWords(unit.repeat(length / unit.length))) {
        words += 1;
        characters += end - start;
        letters += word.length;
      }
      expect([unit, words <= length + 1, characters <= 3 * length, letters <= 40 * length]).toEqual([
        unit,
        true,
        true,
        true,
      ]);
    }
  });
});

/** Cuts a word to 40 characters, without half of a surrogate pair. */
function cutToLength(word: string): string {
  const cut = word.slice(0, 40);
  return word.length > 40 && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

test('fold is idempotent', () => {
  holds(
    fc.property(fc.string({ unit: 'binary', maxLength: 10 }), (text) => {
      expect(fold(fold(text))).toBe(fold(text));
    }),
    { numRuns: 2000 },
  );
});
