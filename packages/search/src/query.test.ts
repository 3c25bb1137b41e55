import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { parseQuery } from './query.ts';
import { stopWords } from './stems.ts';

const getTerms = (text: string) => parseQuery(text).terms.map(({ word }) => word);
const getCompounds = (text: string) => parseQuery(text).compounds.map(({ word, terms }) => [word, ...terms]);

describe('parseQuery', () => {
  test.each([
    ['Install the CLI', ['install', 'cli']],
    ['how to do it', ['how', 'to', 'do', 'it']],
    ['', []],
    ['?!', []],
    ['new new page', ['new', 'page']],
    ['cafe\u0301', ['cafe']],
    ["why can't I", ['why', 'cant', 'i']],
  ])('returns the terms of %j', (text, terms) => {
    expect(getTerms(text)).toEqual(terms);
  });

  test('leaves out stop words, except if there are only stop words', () => {
    expect(getTerms('what is this')).toEqual(['what', 'is', 'this']);
    expect(getTerms('what is ownership')).toEqual(['ownership']);
  });

  test('completes only the last word, and only if no separator follows it', () => {
    expect(parseQuery('install comp').terms.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    expect(parseQuery('install comp ').terms.map(({ isOpen }) => isOpen)).toEqual([false, false]);
    expect(parseQuery('comp install comp').terms.map(({ isOpen }) => isOpen)).toEqual([true, false]);
  });

  test('finds compounds, whether they are written as one word or as several', () => {
    expect(getCompounds('HashMap')).toEqual([
      ['hashmap', 0, 1],
      ['hashmap', 0, 1],
    ]);
    expect(getCompounds('hash map')).toEqual([['hashmap', 0, 1]]);
    expect(getCompounds('log in')).toEqual([['login', 0]]);
    expect(getCompounds('a b')).toEqual([]);
    expect(getCompounds('--test-threads')).toEqual([
      ['testthreads', 0, 1],
      ['testthreads', 0, 1],
    ]);
  });

  test('keeps at most ten terms and ten compounds', () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`);

    expect(getTerms(words.join(' '))).toEqual(words.slice(0, 10));
    expect(parseQuery(words.join('-')).compounds.length).toBeLessThanOrEqual(10);
    expect(getTerms(`${'the '.repeat(200)}end`)).toEqual(['the']);
  });

  const piece = fc.constantFrom(
    'hash',
    'Map',
    'the',
    'to',
    "don't",
    '所有权',
    'é',
    'e\u0301',
    '-',
    '.',
    ' ',
    ' ',
    '\u{10428}',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  test('terms are distinct and have a range in the query, and compounds refer to terms by number', () => {
    holds(
      fc.property(text, (query) => {
        const { text: normalized, terms, compounds } = parseQuery(query);
        expect(normalized).toBe(query.normalize('NFC'));
        expect(terms.length).toBeLessThanOrEqual(10);
        expect(new Set(terms.map(({ word }) => word)).size).toBe(terms.length);
        for (const { start, end } of terms) expect(0 <= start && start < end && end <= normalized.length).toBe(true);
        for (const [index, { start }] of terms.entries())
          expect(start).toBeGreaterThanOrEqual(terms[index - 1]?.start ?? 0);
        for (const { terms: numbers } of compounds) {
          expect(numbers.length).toBeGreaterThan(0);
          for (const number of numbers) expect(terms[number]).toBeDefined();
        }
        const isStop = terms.map(({ word }) => stopWords.has(word));
        expect(new Set(isStop).size).toBeLessThan(2);
      }),
      { numRuns: 1000 },
    );
  });

  test('parses the same terms from each Unicode normalization form', () => {
    holds(
      fc.property(text, (query) => {
        expect(parseQuery(query.normalize('NFD'))).toEqual(parseQuery(query));
      }),
    );
  });
});
