import { expect, test } from 'vitest';
import { commonWord, createCorpus, createNewText, rareWord } from './corpus.ts';

const { documents, parents } = createCorpus(1);

test('a corpus of size 1 has 500 documents of 4 KB; 50 of them are parents of the others', () => {
  expect([documents.length, parents]).toEqual([500, 50]);
  for (const { title, markdown } of documents) {
    expect(markdown.startsWith(`# ${title}\n`)).toBe(true);
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(4050);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(4096);
  }
  expect(new Set(documents.map(({ markdown }) => markdown)).size).toBe(500);
});

test('one word is in every document, another word in only one, and later writes contain neither', () => {
  const countDocumentsWith = (word: string) => documents.filter(({ markdown }) => markdown.includes(word)).length;

  expect([countDocumentsWith(commonWord), countDocumentsWith(rareWord)]).toEqual([500, 1]);
  expect(createNewText('Written', 3)).not.toMatch(new RegExp(`${commonWord}|${rareWord}`));
});

test('the documents are the same in every run', () => {
  expect(createCorpus(1).documents).toEqual(documents);
  expect(createCorpus(0.1).documents[3]).toEqual(documents[3]);
});
