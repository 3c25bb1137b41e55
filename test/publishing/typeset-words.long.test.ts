import { expect, test } from 'vitest';
import { getShare } from '../support/random.ts';
import { corpora, getMissingOfBook } from './words.ts';

const filesPerBook = 40;

// `typeset-words.test.ts` checks the pages and search of all files.
test('PDFs, pages and search contain all words of half of the documentation and of other books', async () => {
  const files = getShare(await corpora(), 2);
  for (let first = 0; first < files.length; first += filesPerBook) {
    const part = files.slice(first, first + filesPerBook);
    expect(await getMissingOfBook(part)).toEqual(part.map((file) => ({ file, page: [], search: [], pdf: [] })));
  }
}, 600_000);
