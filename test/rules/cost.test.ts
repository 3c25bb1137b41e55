import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Change, Cost, SpaceClient } from '../content/space-client.ts';
import { getClient, getCost } from '../content/space-client.ts';
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

/** Round trips that wait for each other. Reads are sent together with the authorization. */
const maxTrips: Record<string, number> = {
  'read a page by id': 1,
  'read a page by path': 1,
  'read a nested page by path': 1,
  'read the space': 1,
  'create a change request': 2,
  'edit one page in a change request': 2,
  'read a page in a change request': 1,
  'insert one page in a change request': 2,
  'update a change request': 4,
  'merge a change request': 4,
  'edit one page live': 2,
  'insert one page at the end': 2,
  search: 3,
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

const createPage = (index: number): Change => ({
  operation: 'insert_page',
  title: `Page ${index}`,
  document: { markdown: `# Page ${index}\n\nWords of page ${index} that other pages have too.\n` },
});

async function insertPages(from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 40) {
    const count = Math.min(40, to - start);
    const pages = Array.from({ length: count }, (_, index) => createPage(start + index));
    const below = Array.from({ length: Math.ceil(count / 10) }, (_, index) => ({
      ...createPage(start + index),
      into: index === 0 ? 'parent' : `child ${index - 1}`,
      ref: `child ${index}`,
    }));
    await space.change([{ ...pages[0], operation: 'insert_page', ref: 'parent' }, ...pages.slice(1), ...below]);
  }
}

const write = (markdown: string): Change => ({ operation: 'update_page', page, document: { markdown } });

async function measureCost(path: string, body?: unknown): Promise<Cost> {
  const response = await space.call<{ result?: string }>(path, body === undefined ? {} : { method: 'POST', body });
  expect(response.status, path).toBeLessThan(300);
  expect(response.body.result).not.toBe('conflicts');
  return response.cost;
}

/** Measures every operation on the same pages. `run` makes texts and titles unique. */
async function measure(run: string): Promise<Costs> {
  const branch = await space.open();
  const inBranch = `/change-requests/${branch}`;
  const edit = (changes: Change[]) => ({ changes });
  const costs: Costs = {
    'read a page by id': await measureCost(`/content/page/${page}`),
    'read a page by path': await measureCost('/content/path/page-5'),
    'read a nested page by path': await measureCost('/content/path/start/middle/end'),
    'read a nested page by id': await measureCost(`/content/page/${nested}`),
    'read the space': await measureCost(''),
    'create a change request': await measureCost('/change-requests', {}),
    'edit one page in a change request': await measureCost(
      `${inBranch}/content`,
      edit([write(`zebra\n\nfirst ${run}\n`)]),
    ),
    'read a page in a change request': await measureCost(`${inBranch}/content/page/${page}`),
  };
  costs['edit one page live'] = await measureCost(
    '/content',
    edit([{ operation: 'update_page', page: nested, document: { markdown: run } }]),
  );
  costs['update a change request'] = await measureCost(`${inBranch}/update`, {});
  costs['merge a change request'] = await measureCost(`${inBranch}/merge`, {});
  costs['insert one page at the end'] = await measureCost(
    '/content',
    edit([{ ...createPage(0), title: `Inserted ${run}` }]),
  );
  const other = await space.open();
  costs['insert one page in a change request'] = await measureCost(
    `/change-requests/${other}/content`,
    edit([{ ...createPage(0), title: `New ${run}` }]),
  );
  const countResults = async () => (await space.callJson<{ items: unknown[] }>('/search?query=zebra')).items.length;
  await vi.waitFor(async () => expect(await countResults()).toBe(1), 30_000);
  // Until the index is compacted, its segments change, and the next search reads the new ones.
  await vi.waitFor(() => expect(findWaitingEvents(space.space)).toEqual([]), 30_000);
  await countResults();
  costs.search = await measureCost('/search?query=zebra');
  return costs;
}

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  const [, , end = ''] = await space.change([
    { ...createPage(0), title: 'Start', ref: 'start' },
    { ...createPage(0), title: 'Middle', into: 'start', ref: 'middle' },
    { ...createPage(0), title: 'End', into: 'middle' },
  ]);
  nested = end;
  let grown = 0;
  for (const size of sizes) {
    await insertPages(grown, size);
    grown = size;
    page ||= (await space.callJson<{ id: string }>('/content/path/page-5')).id;
    measured.set(`${size} pages`, await measure(`at ${size}`));
    const tree = await space.call<{ pages: { pages?: unknown[] }[] }>('/content/pages');
    trees.set(size, { cost: tree.cost, pages: Math.ceil(size * 1.1) });
  }
  for (let count = 0; count < edits; count += 1) await space.change([write(`zebra\n\nedit ${count}\n`)]);
  measured.set(`${edits} edits`, await measure('after edits'));
}, growthLimitMilliseconds);

const getCosts = (name: string): Costs => measured.get(name) ?? {};

describe.each([...sizes.map((size) => `${size} pages`), `${edits} edits`])('at %s', (name) => {
  test.each(Object.entries(maxTrips))('%s takes at most %i sequential round trips', (operation, most) => {
    expect(getCosts(name)[operation]?.sequentialTrips).toBeGreaterThan(0);
    expect(getCosts(name)[operation]?.sequentialTrips).toBeLessThanOrEqual(most);
  });

  test.each(Object.entries(maxWritten))('the number of rows written to %s is at most %i', (operation, most) => {
    expect(getCosts(name)[operation]?.written).toBeGreaterThan(0);
    expect(getCosts(name)[operation]?.written).toBeLessThanOrEqual(most);
  });
});

describe.each([...sizes.slice(1).map((size) => `${size} pages`), `${edits} edits`])('with %s instead of 10', (name) => {
  const operations = Object.keys(maxTrips).filter((operation) => operation !== 'search');

  test.each(operations)('the cost of %s does not grow', (operation) => {
    const [few, many] = [getCosts('10 pages')[operation], getCosts(name)[operation]];

    expect({ trips: many?.trips, written: many?.written }).toEqual({ trips: few?.trips, written: few?.written });
    expect(Math.abs((many?.read ?? 0) - (few?.read ?? 0)), `${few?.read} rows, then ${many?.read}`).toBeLessThanOrEqual(
      fewRows,
    );
  });

  test('search reads at most one more row for each segment', () => {
    expect(getCosts(name).search?.read).toBeLessThanOrEqual((getCosts('10 pages').search?.read ?? 0) + maxSegments);
  });
});

test.each(sizes)('the page tree of %i pages takes 1 round trip, and reads rows in proportion to its pages', (size) => {
  const tree = trees.get(size);

  expect(tree?.cost.trips).toBe(1);
  expect(tree?.cost.written).toBe(0);
  expect(tree?.cost.read).toBeLessThan(3 * (tree?.pages ?? 0) + 100);
});

test('a revision, a list of spaces and a list of comments without pages take 1 round trip, and a new comment takes 3', async () => {
  const server = platform();
  const own = await server.makeSpace();
  const { call } = getClient(server, own);
  await call('/comments', { method: 'POST', body: { body: { markdown: 'A comment' } } });
  const list = await server.request(`/v1/orgs/${own.organization}/spaces`, { token: own.token });
  const [commented] = await getClient(server, own).change([createPage(0)]);
  const comment = { page: commented, body: { markdown: 'About the page' } };

  expect((await call('/content')).cost.trips).toBe(1);
  expect((await call('/comments')).cost.trips).toBe(1);
  expect(getCost(list).trips).toBe(1);
  expect((await call('/comments', { method: 'POST', body: comment })).cost.sequentialTrips).toBe(3);
});

const ofSpace = [
  ...['/content/files', '/content/files/file_none', '/content/reusable-contents/rc_none', '/change-requests'],
  ...['/search?query=unheard', '/change-requests/1/search?query=unheard'],
];
const ofOrganization = ['members', 'teams', 'teams?owner=OWNER', 'teams/TEAM/members', 'sites', 'sites?title=a'];

test('lists and reads of single objects take 1 round trip, searches without a result 2', async () => {
  const server = platform();
  const organization = await server.makeOrganization();
  const own = await server.makeSpace({ organization });
  const { call } = getClient(server, own);
  await call('/change-requests', { method: 'POST', body: {} });
  const team = await server.request(`/v1/orgs/${organization.id}/teams`, {
    method: 'PUT',
    token: own.token,
    body: { title: 'A team' },
  });
  const { id: teamId } = (await team.json()) as { id: string };
  const paths = ofOrganization.map(
    (path) => `/v1/orgs/${organization.id}/${path.replace('OWNER', organization.user).replace('TEAM', teamId)}`,
  );

  for (const path of ofSpace)
    expect([path, (await call(path)).cost.trips]).toEqual([path, path.includes('search') ? 2 : 1]);
  for (const path of [...paths, `/v1/users/${organization.user}`]) {
    const response = await server.request(path, { token: own.token });
    expect([path, response.status, getCost(response).trips]).toEqual([path, 200, 1]);
  }
});

test.each(['/content', '/content/pages', '/content/path/page-5', '/comments', ...ofSpace])(
  'a rejected request of a user without access for %s does not read the content',
  async (path) => {
    const { token } = await platform().makeOrganization();
    const response = await platform({ countsRows: true }).request(`/v1/spaces/${space.space}${path}`, { token });

    expect(response.status).toBe(404);
    expect(getCost(response)).toMatchObject({ sequentialTrips: 1, written: 0 });
    expect(getCost(response).read).toBeLessThan(80);
  },
);
