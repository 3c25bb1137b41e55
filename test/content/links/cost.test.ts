import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Cost } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import type { TestLinks } from './link-client.ts';
import { createPage, insertLinkingPage } from './link-client.ts';

const sizes = [50, 500] as const;
const targets = ['/pages/page-1', 'page-2.md', '/docs/3.md', '/page-4/', 'nowhere.md', 'https://example.com/'];

type Measured = 'edit' | 'page' | 'inBranch' | 'all' | 'locations' | 'backlinks' | 'pages';

const server = platform({ countsRows: true });
const costs = new Map<number, Record<Measured, Cost>>();
const listed = new Map<number, number>();

beforeAll(async () => {
  for (const size of sizes) costs.set(size, await measure(size));
}, 180_000);

async function measure(size: number) {
  const space = getClient(server, await server.makeSpace());
  for (let start = 0; start < size; start += 50) {
    const pages = Array.from({ length: 50 }, (_, index) =>
      insertPage(`Page ${start + index}`, {
        document: { markdown: `[a](/page-1) ${start + index}` },
        git: { path: `docs/${start + index}.md` },
      }),
    );
    await space.change(pages);
  }
  const page = await createPage(space, insertLinkingPage('Links', targets));
  const { body } = await space.edit([
    { operation: 'insert_files', files: [{ name: 'a', base64: 'YQ==', contentType: 'text/plain' }] },
  ]);
  const branch = await space.open();
  const write = writePage(page, `${targets.map((target) => `[y](${target})`).join(' ')} anew`);
  const getCost = async (path: string) => (await space.call<TestLinks>(path)).cost;
  const { items } = await space.callJson<TestLinks>('/links');
  listed.set(size, JSON.stringify(items).length);
  const everywhere = items.find(({ locations }) => locations >= size);
  return {
    edit: (await space.edit([write])).cost,
    page: await getCost(`/content/page/${page}/links`),
    inBranch: await getCost(`/change-requests/${branch}/content/page/${page}/links`),
    all: await getCost('/links?limit=5'),
    locations: await getCost(`/links/${everywhere?.id}/locations?limit=5`),
    backlinks: await getCost(`/content/files/${body.insertedFiles?.[0]?.id}/backlinks`),
    pages: await getCost('/content/pages'),
  };
}

/** A seek that reaches the end of an index reads one row less. This depends on the random IDs. */
const allowOneRowMore = ({ read, ...cost }: Cost) => ({
  ...cost,
  read: expect.toSatisfy((other: number) => Math.abs(other - read) <= 1, `a row more or less than ${read}`),
});

const getCosts = (size: number) => costs.get(size) ?? expect.fail('Nothing was measured.');

test('links add one round trip to an edit, and read the same number of rows in a space of any size', () => {
  const { edit } = getCosts(50);
  expect(edit.trips).toBeLessThanOrEqual(4);
  expect(getCosts(500).edit).toEqual(allowOneRowMore(edit));
});

test.each(['page', 'inBranch'] as const)('the links of a page cost the same in a space of any size (%s)', (name) => {
  const cost = getCosts(50)[name];
  expect(cost.trips).toBeLessThanOrEqual(4);
  expect(getCosts(500)[name]).toEqual(allowOneRowMore(cost));
});

test.each(['all', 'locations', 'backlinks'] as const)(
  'reading all links of a space costs little more than reading its tree (%s)',
  (name) => {
    for (const size of sizes) {
      const cost = getCosts(size)[name];
      expect(cost.trips).toBeLessThanOrEqual(3);
      expect(cost.read).toBeLessThan(7 * getCosts(size).pages.read);
    }
  },
);

test('listing all pages of a space reads each page once, without sorting', () => {
  const [small, large] = sizes.map((size) => getCosts(size).pages.read);
  expect((large ?? 0) - (small ?? 0)).toBeLessThan(1.1 * (sizes[1] - sizes[0]));
});

test('a list of links costs the same in a space of any size with the same number of targets', () => {
  const [small = 0, large = 0] = sizes.map((size) => listed.get(size));
  expect(small).toBeGreaterThan(1_000);
  expect(large).toBeLessThan(1.05 * small);
});
