import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { typesetPages } from './printed.ts';

test('memory does not grow with the size of the book, because each page is written before the next is read', async () => {
  const createIncompressibleText = (page: number) =>
    createHash('shake256', { outputLength: 5_000 }).update(String(page)).digest('hex');
  const pages = Array.from({ length: 140 }, (_, index) => ({ markdown: `${createIncompressibleText(index)}\n` }));
  const { bytes, writtenBefore } = await typesetPages({ pages });

  const share = bytes.length / pages.length;
  const held = writtenBefore.map((written, index) => share * index - written);
  expect(held).toHaveLength(140);
  expect(Math.max(...held)).toBeLessThan(bytes.length / 10);
});
