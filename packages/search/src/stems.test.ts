import { expect, test } from 'vitest';
import { getStem } from './stems.ts';

test.each([
  ['install', 'installs', 'installed', 'installing', 'installation'],
  ['configure', 'configures', 'configured', 'configuring'],
  ['colour', 'color', 'colours', 'coloured', 'coloring'],
  ['behaviour', 'behaviors'],
  ['organise', 'organize', 'organised', 'organizing', 'organisations'],
  ['try', 'tries', 'tried', 'trying'],
])('%s and its forms have the same stem', (word, ...forms) => {
  expect(forms.map(getStem)).toEqual(forms.map(() => getStem(word)));
});

test.each([
  ['four', 'for'],
  ['hours', 'hors'],
  ['dying', 'die'],
  ['die', 'dice'],
  ['café', 'cafe'],
  ['page', 'pager2'],
])('%s and %s have different stems', (one, other) => {
  expect(getStem(one)).not.toBe(getStem(other));
});

test('words that are not English are their own stems', () => {
  for (const word of ['所有', 'is', 'x86s', 'naïves', 'utf8']) expect(getStem(word)).toBe(word);
});
