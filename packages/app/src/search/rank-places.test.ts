import { expect, test } from 'vitest';
import { rankPlaces } from './rank-places.ts';

const rank = (words: string, ...labels: string[]) => {
  const { best, others } = rankPlaces(
    labels.map((label) => ({ label })),
    words,
  );
  return [best.map(({ label }) => label), others.map(({ label }) => label)];
};

test('lists places whose names start with the text first, exact names before longer ones', () => {
  expect(rank('members', 'Team members', 'Members of Acme', 'Members', 'Home')).toEqual([
    ['Members', 'Members of Acme'],
    ['Team members'],
  ]);
});

test('lists all places after the other results if there is no text', () => {
  expect(rank('', 'Home', 'Inbox')).toEqual([[], ['Home', 'Inbox']]);
});
