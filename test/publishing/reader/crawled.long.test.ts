import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/octavo.ts';
import { book } from '../../cli/real-book.ts';
import { crawl } from './crawl.ts';

const docs = path.resolve(import.meta.dirname, '../../../docs');

/** The address of the site that a folder becomes by one command. */
async function published(folder: string): Promise<string> {
  const { octavo, organization } = await commandLine();
  const { stdout } = await octavo('publish', folder, '--organization', organization);
  return /: (http\S+)\n$/.exec(stdout)?.[1] ?? '';
}

test.each([
  ['the documentation', docs, 30],
  ['a book', book, 30],
])('%s has no broken link or image, and valid HTML on every page', async (_name, folder, least) => {
  const { pages, faults } = await crawl(await published(folder));

  expect(faults).toEqual([]);
  expect(pages.length).toBeGreaterThan(least);
});
