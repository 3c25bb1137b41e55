import { expect, test } from 'vitest';
import { corpora, getMissing } from './words.ts';

test('all words of the documentation and of other books are on their pages, in search and in their PDFs', async () => {
  for (const file of await corpora())
    expect({ file, ...(await getMissing(file, true)) }).toEqual({ file, page: [], search: [], pdf: [] });
}, 600_000);
