import { expect, test } from 'vitest';
import { getShare } from '../support/random.ts';
import { getMissingOfBook, readCorpora } from './words.ts';

const filesPerBook = 40;

// `typeset-words.slow.test.ts` checks the pages and search of all files.
test('PDFs, pages and search contain all words of a quarter of the documentation and of other books', async () => {
  const files = getShare(await readCorpora(), 4);
  for (let first = 0; first < files.length; first += filesPerBook) {
    const part = files.slice(first, first + filesPerBook);
    expect(await getMissingOfBook(part)).toEqual(part.map((file) => ({ file, page: [], search: [], pdf: [] })));
  }
}, 600_000);
