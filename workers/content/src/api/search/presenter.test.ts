import { expect, test } from 'vitest';
import { separateCharacters, toWords } from '../../engine/search/sections.ts';
import { createSnippet, haveWords } from './presenter.ts';

const filler = (count: number) => 'filler '.repeat(count);

const snippet = (text: string, query: string) => createSnippet(separateCharacters(text), toWords(query));

const has = (text: string, query: string) => haveWords([separateCharacters(text)], toWords(query));

test.each([
  ['a short text', 'text', 'a short text'],
  ['a short text', 'absent', 'a short text'],
  ['', 'word', ''],
  [`zebra ${filler(40)}`, 'zebra', `zebra ${filler(23).trim()}…`],
  [`${filler(40)}zebra.`, 'zebra', `…${filler(11)}zebra.`],
  [`${filler(40)}zebra ${filler(40)}`, 'zebra', `…${filler(11)}zebra ${filler(12).trim()}…`],
  [`one ${filler(40)}one, two ${filler(40)}`, 'one two', `…${filler(11)}one, two ${filler(11).trim()}…`],
  [`${filler(40)}Crème ${filler(40)}`, 'creme', `…${filler(11)}Crème ${filler(12).trim()}…`],
  [`${filler(40)}installation ${filler(40)}`, 'instal', `…${filler(11)}installation ${filler(12).trim()}…`],
  [`${filler(40)}absent`, 'other', `${filler(23)}filler…`],
  [`${filler(40)}uncommon commons common`, 'common', `…${filler(10)}uncommon commons common`],
  [`${filler(40)}cre\u0300me — ${filler(40)}`, 'crème', `…${filler(11)}cre\u0300me — ${filler(12).trim()}…`],
  [`🚀 İ — ${filler(40)}“Crème” ${filler(40)}`, 'creme', `…${filler(11)}“Crème” ${filler(12).trim()}…`],
  [
    `two ${filler(40)}two, ${filler(30)}one two ${filler(40)}`,
    'one two',
    `…${filler(11)}one two ${filler(11).trim()}…`,
  ],
  [`${'甲'.repeat(30)}所有权${'乙'.repeat(30)}`, '所有权', `…${'甲'.repeat(11)}所有权${'乙'.repeat(10)}…`],
])('creates, from %j, a snippet for %j: %j', (text, query, expected) => {
  expect(snippet(text, query)).toBe(expected);
});

test.each([
  ['the installation', 'instal', true],
  ['the installation', 'stal', false],
  ['🚀one,—two', 'one two', true],
  ['cre\u0300me', 'crème', true],
  ['the installation', 'instal the', false],
  ['Καλημέρα ΚΌΣΜΟΣ', 'κοσμος', true],
  ['internal', 'international', false],
  ['日本語', '日本語', true],
  ['日本 本語', '日本語', false],
  ['version2版本', '版本', true],
  ['version2版本', 'version2', true],
  ['Reactの使い方', 'の使', true],
  ['Reactの使い方', 'react の', true],
  ['हिन्दी', 'हिन्दी', true],
])('finds, in %j, the words %j: %j', (text, query, expected) => {
  expect(has(text, query)).toBe(expected);
});

test('finds words that are distributed over several texts', () => {
  expect(haveWords(['one', 'two'], toWords('one two '))).toBe(true);
  expect(haveWords(['one', 'two'], toWords('one three '))).toBe(false);
});
