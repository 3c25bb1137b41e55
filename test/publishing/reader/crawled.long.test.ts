import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createCommandLine } from '../../cli/octavo.ts';
import { book } from '../../cli/real-book.ts';
import { crawlSite } from './crawl.ts';
import { createReferenceSite } from './reference/reference-site.ts';
import { createShopSpecification } from './reference/shop.ts';
import { publishShowcase } from './showcase.ts';

const docs = path.resolve(import.meta.dirname, '../../../docs');
const github = fileURLToPath(import.meta.resolve('@octokit/openapi/generated/api.github.com.json'));

/** Publishes a folder with one command and returns the site's URL. */
async function publishFolder(folder: string): Promise<string> {
  const { octavo, organization } = await createCommandLine();
  const { stdout } = await octavo('publish', folder, '--organization', organization);
  return /: (http\S+)\n$/.exec(stdout)?.[1] ?? '';
}

const publishReference = async (specification: object | string): Promise<string> =>
  `${(await createReferenceSite(specification)).base}/`;

type Crawl = [name: string, publish: () => Promise<string>, least: number];

test.each<Crawl>([
  ['the documentation', () => publishFolder(docs), 30],
  // Without a book on this machine, `book` is the documentation.
  ...(path.resolve(book) === docs ? [] : [['a book', () => publishFolder(book), 30] satisfies Crawl]),
  ['a site with three sections and two languages', async () => (await publishShowcase()).url, 10],
  ['the reference of a shop', () => publishReference(createShopSpecification()), 3],
])('%s has no broken link or image, and valid HTML on every page', { timeout: 400_000 }, async (_name, site, least) => {
  const { pages, faults } = await crawlSite(await site());

  expect(faults).toEqual([]);
  expect(pages.length).toBeGreaterThan(least);
});

test('a reference page of a thousand operations is valid and has no broken links (checks every sixtieth operation)', {
  timeout: 400_000,
}, async () => {
  const { pages, faults } = await crawlSite(await publishReference(readFileSync(github, 'utf8')), 60);

  expect(faults).toEqual([]);
  expect(pages.length).toBeGreaterThan(80);
});
