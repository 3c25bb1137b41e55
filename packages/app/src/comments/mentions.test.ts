import { expect, test } from 'vitest';
import { findMentionedIds, findMentionQuery, toDraft, toMarkdown } from './mentions.ts';

const people = [
  { id: 'usr_1', name: 'Ann' },
  { id: 'usr_2', name: 'Ann Berger' },
];

test('writes the ids of mentioned people', () => {
  expect(toMarkdown('Ask @Ann Berger or @Ann, not a@Bob.', people)).toBe('Ask @usr_2 or @usr_1, not a@Bob.');
});

test('does not replace a part of a word', () => {
  expect(toMarkdown('@Annabel, me@Ann.example, (@Ann).', people)).toBe('@Annabel, me@Ann.example, (@usr_1).');
});

test('shows names instead of ids, except of unknown people', () => {
  const markdown = 'Ask @usr_2, then @usr_9.';

  expect(findMentionedIds(markdown)).toEqual(['usr_2', 'usr_9']);
  expect(toDraft(markdown, new Map([['usr_2', 'Ann Berger']]))).toBe('Ask @Ann Berger, then @usr_9.');
});

test.each([
  ['Ask @', { start: 4, words: '' }],
  ['@an', { start: 0, words: 'an' }],
  ['(@Ann Ber', { start: 1, words: 'Ann Ber' }],
  ['mail@example', undefined],
  ['@Ann Berger said ', undefined],
  ['no mention', undefined],
])('finds the mention that is being typed in %j', (text, expected) => {
  expect(findMentionQuery(text, text.length)).toEqual(expected);
});
