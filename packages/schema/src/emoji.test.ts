import { describe, expect, test } from 'vitest';
import { Emoji, ReactionEmoji, toEmojiCharacters } from './emoji.ts';

/** Equivalent forms of one emoji, starting with the canonical one. */
const same = [
  ['📖', '1f4d6', '1F4D6', 'U+1F4D6'],
  ['❤️', '❤', '2764', '2764-fe0f'],
  ['©️', '00a9', 'a9'],
  ['#️⃣', '23-20e3', '23-fe0f-20e3'],
  ['👍🏽', '1f44d-1f3fd'],
  ['🇯🇵', '1f1ef-1f1f5'],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1f3f4-e0067-e0062-e0065-e006e-e0067-e007f'],
  ['🏳️‍🌈', '1f3f3-fe0f-200d-1f308', '1f3f3-1f308'],
  ['👁️‍🗨️', '1f441-1f5e8'],
  ['⛹🏽‍♂️', '26f9-1f3fd-2642'],
  ['👨‍👩‍👧', '1f468-200d-1f469-200d-1f467', '1f468-1f469-1f467'],
  ['👨🏻‍❤️‍💋‍👨🏻', '1f468-1f3fb-200d-2764-fe0f-200d-1f48b-200d-1f468-1f3fb', '1f468-1f3fb-2764-1f48b-1f468-1f3fb'],
];

const none = [
  'books',
  '📚📚',
  '📚 ',
  '1f4da-1f4da',
  '1f468-1f469',
  '1f1ef',
  '31',
  'abc',
  'face',
  'ffffff',
  '<b>',
  '\ud800',
];

describe.each(same)('%s', (itself, ...forms) => {
  test.each([itself, ...forms])('is written as %s', (form) => {
    expect(toEmojiCharacters(form)).toBe(itself);
    expect(ReactionEmoji.parse(form)).toBe(itself);
    expect(Emoji.parse(form)).toBe(form.length > 50 ? itself : form.toLowerCase().replace('u+', ''));
  });
});

test.each(none)('%j is not an emoji', (text) => {
  for (const schema of [Emoji, ReactionEmoji]) {
    expect(schema.safeParse(text).error?.issues).toMatchObject([{ message: expect.stringContaining('code points') }]);
  }
});

test('is optional for objects and required for reactions', () => {
  expect([Emoji.safeParse('').data, ReactionEmoji.safeParse('').success]).toEqual(['', false]);
});
