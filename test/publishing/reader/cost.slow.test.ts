import { beforeAll, describe, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { edit, makePage } from '../../support/content.ts';
import type { RequestOptions } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import { createPublishedSite, makeSpaceWithPages } from '../resolution/site-world.ts';
import { createVisitor, toUncachedUrl } from './reads.ts';

const server = platform({ countsRows: true });
const reads = 1000;
/** Maximum number of round trips to find the site, to find the page, and to read the data that both show. */
const mostTrips = 10;
/** Maximum number of round trips for a further page of the site, when the data that all pages share is cached. */
const mostTripsThen = 6;
/** Tolerance in rows, because the query planner may read an index from either end. */
const mostRowsApart = 100;
const mostBytes = 150_000;
const sizes = [10, isOfAll ? 2000 : 1000];

async function createSiteWithPages(count: number): Promise<string> {
  const organization = await server.makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const titles = Array.from({ length: count }, (_, index) => `A page of some length, number ${index}`);
  for (let first = 0; first < count; first += 50) {
    const part = titles.slice(first, first + 50);
    const document = { markdown: 'Words.\n' };
    await edit(
      space,
      part.map((title) => ({ operation: 'insert_page', title, document })),
    );
  }
  const { base } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] });
  return `${base}/`;
}

async function measureCost(address: string, headers: Record<string, string> = {}) {
  const response = await server.request(address, { headers });
  return {
    ...getCost(response),
    status: response.status,
    tag: response.headers.get('etag') ?? '',
    text: await response.text(),
  };
}

describe('reading a page of a site', () => {
  const worlds: string[] = [];
  const firsts: Awaited<ReturnType<typeof measureCost>>[] = [];
  beforeAll(async () => {
    for (const size of sizes) {
      const address = await createSiteWithPages(size);
      worlds.push(address);
      firsts.push(await measureCost(address));
    }
  }, 180_000);

  test(`takes at most one round trip for each of ${reads} repeated requests, also if the browser has the page`, async () => {
    const [address = ''] = worlds;
    const { tag } = await measureCost(address);
    let [trips, rows] = [0, 0];
    for (let count = 0; count < reads; count += 20) {
      const headers = count % 40 === 0 ? {} : { 'if-none-match': tag };
      const responses = await Promise.all(Array.from({ length: 20 }, () => measureCost(address, headers)));
      for (const cost of responses) {
        expect(cost.status).toBe(count % 40 === 0 ? 200 : 304);
        trips += cost.trips;
        rows += cost.read;
      }
    }

    expect(trips).toBeLessThanOrEqual(reads);
    // Includes rows at both ends of index ranges, because the query planner may scan them in either direction.
    expect(rows).toBeLessThanOrEqual(reads * 60);
  });

  test('takes the same number of round trips the first time, whatever the size of the site', () => {
    const [small, large] = firsts;

    expect(small?.status).toBe(200);
    expect(small?.trips).toBeLessThanOrEqual(mostTrips);
    expect(large?.trips).toBe(small?.trips);
    expect((large?.read ?? Number.NaN) - (small?.read ?? 0)).toBeLessThanOrEqual(4 * (sizes[1] ?? 0));
  });

  test('takes the same round trips and rows for further pages, whatever the size of the site', async () => {
    const costs = await Promise.all(worlds.map((address) => measureCost(toUncachedUrl(address))));

    expect(costs.map(({ status }) => status)).toEqual([200, 200]);
    expect(Math.max(...costs.map(({ trips }) => trips))).toBeLessThanOrEqual(mostTripsThen);
    const rows = costs.map(({ read }) => read);
    expect(Math.abs((rows[1] ?? Number.NaN) - (rows[0] ?? 0))).toBeLessThanOrEqual(mostRowsApart);
  });

  test('does not render the page again for an unknown query string', async () => {
    const [address = ''] = worlds;
    const { text } = await measureCost(address);
    const response = await measureCost(`${address}?utm_source=mail&reader=1`);

    expect(response.text).toBe(text);
    expect(response.trips).toBeLessThanOrEqual(1);
  });

  test(`of ${sizes[1]} returns at most ${mostBytes / 1000} KB`, async () => {
    for (const place of ['', 'a-page-of-some-length-number-500']) {
      const { status, text } = await measureCost(new URL(place, worlds[1]).href);

      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
    }
  });
});

test('renders a page separately only for claims that the site asks for', async () => {
  const organization = await server.makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const { base, site } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const readAs = (options: RequestOptions) => measureCost(`${base}/`, { ...options.headers });
  const readAsVisitors = () => Promise.all([{}, createVisitor(site.id), createVisitor(site.id)].map(readAs));
  await readAsVisitors();
  const before = await readAsVisitors();

  await makePage(space, 'More', '{% if visitor.claims.unsigned.asked == 0 %}\n\nMore.\n\n{% endif %}\n');
  const after = await readAsVisitors();

  expect(new Set(before.map(({ tag }) => tag)).size).toBe(1);
  expect(Math.max(...before.map(({ trips }) => trips))).toBeLessThanOrEqual(1);
  expect(new Set(after.map(({ tag }) => tag)).size).toBe(3);
});

test.each([
  ['a condition of a page', { condition: 'visitor.claims.unsigned.asked > 0' }, ''],
  ['an expression in a text', {}, 'Asked {{ visitor.claims["unsigned"].asked }} times.'],
])('a page depends on a claim that is used in %s', async (_name, more, markdown) => {
  const organization = await server.makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  await makePage(space, 'More', markdown, more);
  const { base, site } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const tags = await Promise.all(
    [createVisitor(site.id), createVisitor(site.id)].map(
      async ({ headers = {} }) => (await measureCost(`${base}/`, headers)).tag,
    ),
  );

  expect(new Set(tags).size).toBe(2);
});
