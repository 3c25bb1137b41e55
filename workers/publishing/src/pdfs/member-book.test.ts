import type { PrintedPage } from '@octavo/schema';
import { expect, test } from 'vitest';
import { splitPages } from './member-book.ts';

const content = { id: 'content', markdown: 'x'.repeat(1_900_000), includes: {} };
const createPage = (id: string): PrintedPage => ({
  ...{ id, title: id, type: 'document', depth: 0, markdown: '', links: {}, files: {} },
  evaluation: { variables: { space: {}, page: {} }, includes: {}, contents: [content] },
});

test('divides pages that include a long content, because each page contains it', () => {
  const groups = splitPages(['a', 'b', 'c', 'd', 'e'].map(createPage));

  expect(groups.map((pages) => pages.map(({ id }) => id))).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

test('returns no group without pages, because an empty group would end the book', () => {
  expect(splitPages([])).toEqual([]);
});
