import { beforeAll, describe, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { edit, makePage } from '../../support/content.ts';
import type { RequestOptions } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import { publishedSite, spaceWith } from '../resolution/site-world.ts';
import { newVisitor, toUncachedUrl } from './reads.ts';

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

async function siteWith(count: number): Promise<string> {
  const organization = await server.makeOrganization();
  const space = await spaceWith(organization, 'Guide', ['Start']);
  const titles = Array.from({ length: count }, (_, index) => `A page of some length, number ${index}`);
  for (let first = 0; first < count; first += 50) {
    const part = titles.slice(first, first + 50);
    const document = { markdown: 'Words.\n' };
    await edit(
      space,
      part.map((title) => ({ operation: 'insert_page', title, document })),
    );
  }
  const { base } = await publishedSite({ organization, visibility: 'public', spaces: [space.id] });
  return `${base}/`;
}

async function costAt(address: string, headers: Record<string, string> = {}) {
  const answer = await server.request(address, { headers });
  return {
    ...getCost(answer),
    status: answer.status,
    tag: answer.headers.get('etag') ?? '',
    text: await answer.text(),
  };
}

describe('reading a page of a site', () => {
  const worlds: string[] = [];
  const firsts: Awaited<ReturnType<typeof costAt>>[] = [];
  beforeAll(async () => {
    for (const size of sizes) {
      const address = await siteWith(size);
      worlds.push(address);
      firsts.push(await costAt(address));
    }
  }, 180_000);

  test(`${reads} times takes at most one round trip each, also if the browser has it`, async () => {
    const [address = ''] = worlds;
    const { tag } = await costAt(address);
    let [trips, rows] = [0, 0];
    for (let count = 0; count < reads; count += 20) {
      const headers = count % 40 === 0 ? {} : { 'if-none-match': tag };
      const answers = await Promise.all(Array.from({ length: 20 }, () => costAt(address, headers)));
      for (const cost of answers) {
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
    const costs = await Promise.all(worlds.map((address) => costAt(toUncachedUrl(address))));

    expect(costs.map(({ status }) => status)).toEqual([200, 200]);
    expect(Math.max(...costs.map(({ trips }) => trips))).toBeLessThanOrEqual(mostTripsThen);
    const rows = costs.map(({ read }) => read);
    expect(Math.abs((rows[1] ?? Number.NaN) - (rows[0] ?? 0))).toBeLessThanOrEqual(mostRowsApart);
  });

  test('does not render the page again for an unknown query string', async () => {
    const [address = ''] = worlds;
    const { text } = await costAt(address);
    const brought = await costAt(`${address}?utm_source=mail&reader=1`);

    expect(brought.text).toBe(text);
    expect(brought.trips).toBeLessThanOrEqual(1);
  });

  test(`of ${sizes[1]} is at most ${mostBytes / 1000} KB`, async () => {
    for (const place of ['', 'a-page-of-some-length-number-500']) {
      const { status, text } = await costAt(new URL(place, worlds[1]).href);

      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
    }
  });
});

test('renders a page separately only for claims that the site asks for', async () => {
  const organization = await server.makeOrganization();
  const space = await spaceWith(organization, 'Guide', ['Start']);
  const { base, site } = await publishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const readAs = (options: RequestOptions) => costAt(`${base}/`, { ...options.headers });
  const visitors = () => Promise.all([{}, newVisitor(site.id), newVisitor(site.id)].map(readAs));
  await visitors();
  const before = await visitors();

  await makePage(space, 'More', '{% if visitor.claims.unsigned.asked == 0 %}\n\nMore.\n\n{% endif %}\n');
  const after = await visitors();

  expect(new Set(before.map(({ tag }) => tag)).size).toBe(1);
  expect(Math.max(...before.map(({ trips }) => trips))).toBe(1);
  expect(new Set(after.map(({ tag }) => tag)).size).toBe(3);
});

test.each([
  ['a condition of a page', { condition: 'visitor.claims.unsigned.asked > 0' }, ''],
  ['an expression in a text', {}, 'Asked {{ visitor.claims["unsigned"].asked }} times.'],
])('a page depends on a claim that is used in %s', async (_name, more, markdown) => {
  const organization = await server.makeOrganization();
  const space = await spaceWith(organization, 'Guide', ['Start']);
  await makePage(space, 'More', markdown, more);
  const { base, site } = await publishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const tags = await Promise.all(
    [newVisitor(site.id), newVisitor(site.id)].map(async ({ headers = {} }) => (await costAt(`${base}/`, headers)).tag),
  );

  expect(new Set(tags).size).toBe(2);
});
