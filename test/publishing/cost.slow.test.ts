import { beforeAll, describe, expect, test } from 'vitest';
import type { Cost } from '../content/space-client.ts';
import { getCost } from '../content/space-client.ts';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { isOfAll } from '../support/random.ts';
import type { OpenSite } from './audiences/open-site.ts';
import { openSite } from './audiences/open-site.ts';
import { readAddress, rows, visited } from './audiences/reads.ts';

// Times are noisy, so the tests count round trips and rows.

const server = platform({ countsRows: true });
const pageCounts = [10, isOfAll ? 1000 : 300];
const siteSpaceCounts = [1, isOfAll ? 100 : 50];
/**
 * Maximum number of round trips: two for most operations. A redirect is looked up after the token is verified, which
 * takes another.
 */
const getMaxRoundTrips = (id: string) => (id === 'getSiteRedirectBySource' ? 3 : 2);
/**
 * Tolerance in rows read, because an index search may read the row after the match. Resolving a URL takes about twenty
 * searches.
 */
const fewRows = 24;
/** Operations whose response contains all pages of a space or all site spaces of a site. */
const ofAllPages = /^(?:listPages|getCurrentRevision|getRevisionById|listFiles)/;
const ofAllSiteSpaces =
  /^(?:getPublishedContentSite|getSiteById|getSiteStructure|listSiteSections|listSiteSpaces|getLatestOpenAPISpecVersionContent|list\w+PageMetaLinks)$/;

const splitIntoParts = <Item>(items: Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Creates a site whose space has this many pages in addition to the one that is read. */
async function createSiteWithPages(count: number): Promise<OpenSite> {
  const site = await openSite('public');
  const owner = { id: site.ids.spaceId ?? '', token: site.organization.token };
  const titles = Array.from({ length: count }, (_, index) => `Page ${index}`);
  for (const part of splitIntoParts(titles, 50)) {
    const document = { markdown: '' };
    await edit(
      owner,
      part.map((title) => ({ operation: 'insert_page', title, document })),
    );
  }
  return site;
}

/** Creates a site with this many site spaces. */
async function createSiteWithSpaces(count: number): Promise<OpenSite> {
  const site = await openSite('public');
  const { token } = site.organization;
  const others = Array.from({ length: count - 1 }, (_, index) => `Space ${index}`);
  for (const part of splitIntoParts(others, 20)) {
    const add = async (title: string) => {
      const { id: spaceId } = await server.makeSpace({ organization: site.organization, title });
      await json(`${site.path}/site-spaces`, { token, body: { spaceId } });
    };
    await Promise.all(part.map(add));
  }
  return site;
}

const worlds = new Map<string, OpenSite[]>();

beforeAll(async () => {
  worlds.set('pages', [await createSiteWithPages(pageCounts[0] ?? 0), await createSiteWithPages(pageCounts[1] ?? 0)]);
  worlds.set('site spaces', [
    await createSiteWithSpaces(siteSpaceCounts[0] ?? 0),
    await createSiteWithSpaces(siteSpaceCounts[1] ?? 0),
  ]);
}, 180_000);

async function measureCosts(of: string, ask: (site: OpenSite) => Promise<Response>): Promise<Cost[]> {
  const costsOfRequests: Cost[] = [];
  for (const site of worlds.get(of) ?? []) {
    const response = await ask(site);
    expect([response.url, response.status]).toEqual([response.url, 200]);
    costsOfRequests.push(getCost(response));
  }
  return costsOfRequests;
}

function expectSame([small, large]: Cost[], rowsAtMost = fewRows): void {
  expect(large?.trips).toBe(small?.trips);
  expect((large?.read ?? Number.NaN) - (small?.read ?? 0)).toBeLessThanOrEqual(rowsAtMost);
}

const ofVisitors = visited.filter(({ id, endpoint }) => endpoint.method === 'GET' && !rows[id]?.isOfPreview);

describe.each([
  { of: 'pages', all: ofAllPages, sizes: pageCounts },
  { of: 'site spaces', all: ofAllSiteSpaces, sizes: siteSpaceCounts },
])('with $sizes $of', ({ of, all }) => {
  test.each(['', '/start', '/begin', '/not/there', '/start/not'])(
    'resolving %j takes two round trips, and a constant number of rows',
    async (path) => {
      const resolveUrl = ({ base }: OpenSite) =>
        server.request('/v1/urls/published', { body: { url: `${base}${path}` } });
      const costsOfRequests = await measureCosts(of, resolveUrl);

      for (const { trips } of costsOfRequests) expect(trips).toBe(2);
      expectSame(costsOfRequests);
    },
  );

  test.each(ofVisitors)('$id takes a limited number of round trips', async (operation) => {
    const readOperation = ({ ids, token }: OpenSite) => server.request(readAddress(operation, ids), { token });

    for (const { trips } of await measureCosts(of, readOperation))
      expect(trips).toBeLessThanOrEqual(getMaxRoundTrips(operation.id));
  });

  test.each(ofVisitors.filter(({ id }) => !all.test(id)))('$id reads a constant number of rows', async (operation) => {
    expectSame(await measureCosts(of, ({ ids, token }) => server.request(readAddress(operation, ids), { token })));
  });
});
