import { expect, test } from 'vitest';
import { changeDraft, findMentionedIds, findMentionQuery, toDraft, toMarkdown } from './mentions.ts';

const people = [
  { id: 'usr_1', name: 'Ann' },
  { id: 'usr_2', name: 'Ann Berger' },
];

/** Returns the Markdown of a text that was typed without choosing people. */
const writeTyped = (text: string): string => toMarkdown({ text, mentions: [] }, people);

test('writes the ids of mentioned people', () => {
  expect(writeTyped('Ask @Ann Berger or @Ann, not a@Bob.')).toBe('Ask @usr_2 or @usr_1, not a@Bob.');
});

test('does not replace a part of a word', () => {
  expect(writeTyped('@Annabel, me@Ann.example, (@Ann).')).toBe('@Annabel, me@Ann.example, (@usr_1).');
});

test('shows names instead of ids, except of unknown people', () => {
  const markdown = 'Ask @usr_2, then @usr_9.';

  expect(findMentionedIds(markdown)).toEqual(['usr_2', 'usr_9']);
  expect(toDraft(markdown, new Map([['usr_2', 'Ann Berger']])).text).toBe('Ask @Ann Berger, then @usr_9.');
});

const sameNames = new Map([
  ['usr_1', 'Ann'],
  ['usr_3', 'Ann'],
]);
const peopleOfSameName = [...sameNames].map(([id, name]) => ({ id, name }));

test.each([
  ['without a change', '@Ann and @Ann', 13, '@usr_1 and @usr_3'],
  ['after text was inserted before both', 'Ask @Ann and @Ann', 4, 'Ask @usr_1 and @usr_3'],
  ['after text was inserted between them', '@Ann and also @Ann', 13, '@usr_1 and also @usr_3'],
  ['after text was added', '@Ann and @Ann, please.', 22, '@usr_1 and @usr_3, please.'],
  ['after the first one was removed', '@Ann', 0, '@usr_3'],
  ['after the second one was removed', '@Ann', 4, '@usr_1'],
  ['after the name was continued', '@Ann and @Annabel', 17, '@usr_1 and @Annabel'],
])('mentions people of the same name %s', (_case, changed, cursor, expected) => {
  const draft = toDraft('@usr_1 and @usr_3', sameNames);

  expect(draft.text).toBe('@Ann and @Ann');
  expect(toMarkdown(changeDraft(draft, changed, cursor), peopleOfSameName)).toBe(expected);
});

test('mentions the same person again after the end of the name was removed and typed again', () => {
  const draft = changeDraft(toDraft('@usr_1 and @usr_3', sameNames), '@Ann and @An', 12);

  expect(toMarkdown(changeDraft(draft, '@Ann and @Ann', 13), peopleOfSameName)).toBe('@usr_1 and @usr_3');
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
