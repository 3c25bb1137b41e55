import { expect, test } from 'vitest';
import { corpora, getMissingOfBook } from './words.ts';

const filesPerBook = 40;

test('pages, search and PDFs contain all words of the documentation and of other books', async () => {
  const files = await corpora();
  for (let first = 0; first < files.length; first += filesPerBook) {
    const part = files.slice(first, first + filesPerBook);
    expect(await getMissingOfBook(part)).toEqual(part.map((file) => ({ file, page: [], search: [], pdf: [] })));
  }
}, 600_000);
