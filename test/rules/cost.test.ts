import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Change, Cost, SpaceClient } from '../content/space-client.ts';
import { getClient } from '../content/space-client.ts';
import { query } from '../support/database.ts';
import { platform } from '../support/platform.ts';
import { isOfAll } from '../support/random.ts';

// The maximum cost of each operation (design: content model, "Why"). It must not depend on the size of the space or the
// history of a page. Times are noisy, so the tests count D1 round trips and rows.

/** Numbers of pages at the root of the space. There is one nested page for every ten of them. */
const sizes = isOfAll ? [10, 1_000, 2_000] : [10, 1_000];
const edits = 200;
/** The number of segments in the search index grows with the logarithm of the number of pages. */
const maxSegments = 24;
/** Tolerance in rows read, for example for a lineage of two branches or a page with one more ancestor. */
const fewRows = 6;
const growthLimitMilliseconds = 180_000;

const maxTrips: Record<string, number> = {
  'read a page by id': 2,
  'read a page by path': 2,
  'read a nested page by path': 2,
  'create a change request': 2,
  'edit one page in a change request': 3,
  'read a page in a change request': 2,
  'insert one page in a change request': 3,
  'update a change request': 4,
  'merge a change request': 4,
  'edit one page live': 3,
  'insert one page at the end': 3,
  search: 4,
};

/** Maximum number of rows written, including index entries, without the writes of jobs. */
const maxWritten: Record<string, number> = {
  'create a change request': 11,
  'edit one page in a change request': 20,
  'insert one page in a change request': 18,
  'update a change request': 12,
  'merge a change request': 28,
  'edit one page live': 20,
  'insert one page at the end': 14,
};

type Costs = Record<string, Cost>;

const findWaitingEvents = (id: string) =>
  query(
    'SELECT type FROM outbox WHERE organization = (SELECT organization FROM spaces WHERE id = ?) AND done_at IS NULL',
    id,
  );

let space: SpaceClient;
/** A top-level page that all operations use, and a page at the third level. */
let page = '';
let nested = '';
const measured = new Map<string, Costs>();
const trees = new Map<number, { cost: Cost; pages: number }>();

const flat = (index: number): Change => ({
  operation: 'insert_page',
  title: `Page ${index}`,
  document: { markdown: `# Page ${index}\n\nWords of page ${index} that other pages have too.\n` },
});

async function grow(from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 40) {
    const count = Math.min(40, to - start);
    const pages = Array.from({ length: count }, (_, index) => flat(start + index));
    const below = Array.from({ length: Math.ceil(count / 10) }, (_, index) => ({
      ...flat(start + index),
      into: index === 0 ? 'parent' : `child ${index - 1}`,
      ref: `child ${index}`,
    }));
    await space.change([{ ...pages[0], operation: 'insert_page', ref: 'parent' }, ...pages.slice(1), ...below]);
  }
}

const write = (markdown: string): Change => ({ operation: 'update_page', page, document: { markdown } });

async function cost(path: string, body?: unknown): Promise<Cost> {
  const answer = await space.call<{ result?: string }>(path, body === undefined ? {} : { method: 'POST', body });
  expect(answer.status, path).toBeLessThan(300);
  expect(answer.body.result).not.toBe('conflicts');
  return answer.cost;
}

/** Measures every operation on the same pages. `run` makes texts and titles unique. */
async function measure(run: string): Promise<Costs> {
  const branch = await space.open();
  const inBranch = `/change-requests/${branch}`;
  const edit = (changes: Change[]) => ({ changes });
  const costs: Costs = {
    'read a page by id': await cost(`/content/page/${page}`),
    'read a page by path': await cost('/content/path/page-5'),
    'read a nested page by path': await cost('/content/path/start/middle/end'),
    'read a nested page by id': await cost(`/content/page/${nested}`),
    'create a change request': await cost('/change-requests', {}),
    'edit one page in a change request': await cost(`${inBranch}/content`, edit([write(`zebra\n\nfirst ${run}\n`)])),
    'read a page in a change request': await cost(`${inBranch}/content/page/${page}`),
  };
  costs['edit one page live'] = await cost(
    '/content',
    edit([{ operation: 'update_page', page: nested, document: { markdown: run } }]),
  );
  costs['update a change request'] = await cost(`${inBranch}/update`, {});
  costs['merge a change request'] = await cost(`${inBranch}/merge`, {});
  costs['insert one page at the end'] = await cost('/content', edit([{ ...flat(0), title: `Inserted ${run}` }]));
  const other = await space.open();
  costs['insert one page in a change request'] = await cost(
    `/change-requests/${other}/content`,
    edit([{ ...flat(0), title: `New ${run}` }]),
  );
  const found = async () => (await space.ok<{ items: unknown[] }>('/search?query=zebra')).items.length;
  await vi.waitFor(async () => expect(await found()).toBe(1), 30_000);
  // Until the index is compacted, its segments change, and the next search reads the new ones.
  await vi.waitFor(() => expect(findWaitingEvents(space.space)).toEqual([]), 30_000);
  await found();
  costs.search = await cost('/search?query=zebra');
  return costs;
}

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  const [, , end = ''] = await space.change([
    { ...flat(0), title: 'Start', ref: 'start' },
    { ...flat(0), title: 'Middle', into: 'start', ref: 'middle' },
    { ...flat(0), title: 'End', into: 'middle' },
  ]);
  nested = end;
  let grown = 0;
  for (const size of sizes) {
    await grow(grown, size);
    grown = size;
    page ||= (await space.ok<{ id: string }>('/content/path/page-5')).id;
    measured.set(`${size} pages`, await measure(`at ${size}`));
    const tree = await space.call<{ pages: { pages?: unknown[] }[] }>('/content/pages');
    trees.set(size, { cost: tree.cost, pages: Math.ceil(size * 1.1) });
  }
  for (let count = 0; count < edits; count += 1) await space.change([write(`zebra\n\nedit ${count}\n`)]);
  measured.set(`${edits} edits`, await measure('after edits'));
}, growthLimitMilliseconds);

const at = (name: string): Costs => measured.get(name) ?? {};

describe.each([...sizes.map((size) => `${size} pages`), `${edits} edits`])('at %s', (name) => {
  test.each(Object.entries(maxTrips))('the number of D1 round trips to %s is at most %i', (operation, most) => {
    expect(at(name)[operation]?.trips).toBeGreaterThan(0);
    expect(at(name)[operation]?.trips).toBeLessThanOrEqual(most);
  });

  test.each(Object.entries(maxWritten))('the number of rows written to %s is at most %i', (operation, most) => {
    expect(at(name)[operation]?.written).toBeGreaterThan(0);
    expect(at(name)[operation]?.written).toBeLessThanOrEqual(most);
  });
});

describe.each([...sizes.slice(1).map((size) => `${size} pages`), `${edits} edits`])('with %s instead of 10', (name) => {
  const operations = Object.keys(maxTrips).filter((operation) => operation !== 'search');

  test.each(operations)('%s costs the same as with 10', (operation) => {
    const [few, many] = [at('10 pages')[operation], at(name)[operation]];

    expect({ trips: many?.trips, written: many?.written }).toEqual({ trips: few?.trips, written: few?.written });
    expect(Math.abs((many?.read ?? 0) - (few?.read ?? 0)), `${few?.read} rows, then ${many?.read}`).toBeLessThanOrEqual(
      fewRows,
    );
  });

  test('search reads at most as many more rows as there are segments', () => {
    expect(at(name).search?.read).toBeLessThanOrEqual((at('10 pages').search?.read ?? 0) + maxSegments);
  });
});

test.each(sizes)('the page tree of %i pages takes 2 round trips, and reads rows in proportion to its pages', (size) => {
  const tree = trees.get(size);

  expect(tree?.cost.trips).toBe(2);
  expect(tree?.cost.written).toBe(0);
  expect(tree?.cost.read).toBeLessThan(3 * (tree?.pages ?? 0) + 100);
});
