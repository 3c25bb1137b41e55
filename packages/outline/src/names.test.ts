import { PageTitle } from '@octavo/schema';
import { expect, test } from 'vitest';
import { findFirstTitle, nameToTitle } from './frontmatter-fields.ts';

test.each([
  ['getting-started', 'getting started'],
  ['a\tb', 'a b'],
  ['a\u0000\u0085b', 'a b'],
  ['---', '---'],
  ['-\t-', '- -'],
  ['\t', 'Untitled'],
  ['', 'Untitled'],
  ['a\ud800', 'a\ufffd'],
  ['x'.repeat(600), 'x'.repeat(512)],
])('the file name %j gives the title %j', (name, title) => {
  expect(nameToTitle(name)).toBe(title);
  expect(PageTitle.safeParse(title).success).toBe(true);
});

test('uses the first readable text as the title', () => {
  expect(findFirstTitle(' \t', '\u0001', ' b\n')).toBe('b');
});
