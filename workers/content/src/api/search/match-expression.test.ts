import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { toWords } from '../../engine/search/sections.ts';
import { createExpressions, toScope } from './match-expression.ts';

const of = (query: string) => createExpressions(toWords(query));

const migration = readFileSync(path.resolve(import.meta.dirname, '../../../../../migrations/0002_content.sql'), 'utf8');
/** The lengths of prefixes that each search index contains. */
const indexed = [...migration.matchAll(/prefix = '([\d ]+)'/g)].map(([, lengths]) => lengths?.split(' ').map(Number));

const distinct = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

const hostile = [
  'word '.repeat(32),
  'the '.repeat(128),
  'a* '.repeat(170),
  distinct(60),
  Array.from({ length: 128 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(''),
  '日'.repeat(512),
  '日本'.repeat(256),
  'हिन्दी'.repeat(80),
  'x'.repeat(512),
  'e\u0301'.repeat(256),
  Array.from({ length: 60 }, (_, index) => `日${index}本`).join(' '),
];

test.each(hostile)('a search for %j results in an expression of limited length', (query) => {
  const { completeWords, lastPrefix = '', separateTerms = '' } = of(query);

  for (const expression of [completeWords, lastPrefix, separateTerms]) {
    const phrases = expression.match(/"[^"]*"/g) ?? [];
    expect(phrases.length).toBeLessThanOrEqual(32);
    for (const phrase of phrases) expect(phrase.split(' ').length).toBeLessThanOrEqual(2);
  }
  expect(new Set(completeWords.match(/"[^"]*"/g)).size).toBe(completeWords.match(/"[^"]*"/g)?.length);
});

test.each(hostile)('a search for %j compares a bounded number of tokens at each position', (query) => {
  expect(toWords(query).flatMap(({ folded }) => folded).length).toBeLessThanOrEqual(24);
});

test.each([
  ['word '.repeat(32), 'word '],
  ['The THE thé the', 'the'],
  [`${distinct(8)} more and more`, `${distinct(8)} `],
])('%j is searched for as %j', (query, same) => {
  const folded = (expression: string) => expression.toLowerCase().replaceAll('é', 'e');
  expect(folded(of(query).completeWords)).toBe(folded(of(same).completeWords));
});

test('searches only for prefixes of indexed lengths', () => {
  expect(indexed).toHaveLength(3);
  for (let length = 1; length <= 40; length += 1) {
    for (const letter of ['x', 'é', '\u{10400}', 'e\u0301']) {
      const begun = of(`other ${letter.repeat(length)}`).lastPrefix?.match(/"([^" ]*)" \*\)$/)?.[1];
      const letters = begun?.replace(/[\u0300-\u0331]/g, '') ?? '';
      if (length === 1) expect(begun).toBeUndefined();
      else for (const lengths of indexed) expect(lengths).toContain([...letters].length);
    }
  }
});

test('a single letter, or a character of a script without spaces, is not a prefix', () => {
  for (const query of ['a', 'word a', '日', '所有', 'word 日本'])
    expect([query, of(query).lastPrefix]).toEqual([query, undefined]);
  expect(of('日本ab').lastPrefix).toBe('- scope : ("日 本" AND "本 ab" *)');
});

test('marks a query whose expression may match more than its words', () => {
  for (const query of ['word', 'wor d', '日本', 'instal']) expect([query, of(query).isLoose]).toEqual([query, false]);
  for (const query of ['words', 'install', '日本語', `${'日本'.repeat(20)}`]) {
    expect([query, of(query).isLoose]).toEqual([query, true]);
  }
});

test('the ID of a space or organization is a single token', () => {
  expect(toScope('spc_abc')).toBe('scope : "abc"');
});
