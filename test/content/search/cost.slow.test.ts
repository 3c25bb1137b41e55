import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import { insertPages, type SearchResponse, search, sectionsPerPage, vocabulary } from './inserted-space.ts';

// Timings are noisy, so these tests count rows: segments and blocks of the index, and rows that determine a page's
// position.
/** Maximum number of rows for any query, and for a word that few pages contain, if no block is in memory yet. */
const maxRows = 2000;
const rowsOfRare = 55;
/** Maximum number of rows for a repeated search: the segments, the spaces and their heads, and the authorization. */
const rowsOfRepeated = 30;
/** Maximum number of rows if only one of the 200 best pages may be in the results. */
const rowsOfExcluded = 2500;
/**
 * Tolerance in rows for the same search. Authorization sometimes reads one more row, and a larger index has more
 * segments.
 */
const fewRows = 5;
const size = isOfAll ? 10_000 : 4000;
const sizeOfMedium = size / 20;
/** Maximum number of rows for a page's position in the tree and its visible sections. */
const rowsOfPage = 12;
const server = platform({ countsRows: true });
let organization: TestOrganization;
let reader: TestUser;
let big: TestSpace;
let medium: TestSpace;
let small: TestSpace;
/** The costs of the `costly` searches and of a rare word in the small space, while it is the only space. */
let aloneCosts: number[];

const frequent = vocabulary.slice(1, 11).join(' ');
const costly = [
  ...['the', 'th', 't', 'a', 'page', 'heading', 'commo', 'the common words of which none is rare', '日本'],
  ...[frequent, vocabulary.slice(9000, 9010).join(' '), 'ka', 'commno wrods headign rareness', 'xkaloru zlomivo'],
];

beforeAll(async () => {
  organization = await server.makeOrganization();
  reader = await server.makeUser({ organization: organization.id, role: 'read' });
  small = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Small' });
  await insertPages(small, 20, 'quokka');
  aloneCosts = await getCostsOfSmall();
  big = await server.makeSpace({ organization, title: 'Big' });
  medium = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Medium' });
  await insertPages(big, size, 'quokka');
  await insertPages(medium, sizeOfMedium, 'quokka');
});

let limit = 1000;
/** Searches with another limit each time, because repeated searches are cached. All limits return all pages. */
function searchSmallSpace(words: string) {
  limit -= 1;
  return search(`/v1/spaces/${small.id}/search?query=${encodeURIComponent(words)}&limit=${limit}`, small.token);
}

/** Returns the costs of searches whose blocks are all in memory, but whose results are not cached. */
async function getCostsOfSmall(): Promise<number[]> {
  const costs: number[] = [];
  for (const words of [...costly, 'quokka']) {
    await searchSmallSpace(words);
    costs.push((await searchSmallSpace(words)).rows);
  }
  return costs;
}

const ways = {
  'of a space': (words: string) => search(`/v1/spaces/${big.id}/search?query=${words}&limit=100`, organization.token),
  'of an organization': (words: string) =>
    search(`/v1/orgs/${organization.id}/search?query=${words}&limit=100`, organization.token),
};

test(`reads few rows to find a rare word in one of ${size} pages, even if no block is in memory`, async () => {
  for (const way of Object.values(ways)) {
    const { rows, titles } = await way('quokka');
    expect(titles).toEqual(['Page 3']);
    expect(rows).toBeLessThanOrEqual(rowsOfRare);
  }
});

/** Each word of `frequent` has as many synonyms as possible, of frequent words. */
const synonyms = vocabulary
  .slice(1, 11)
  .map((word, index) => [
    word,
    ...vocabulary
      .slice(11 + 9 * index, 20 + 9 * index)
      .map((other, number) => (number < 6 ? other : `the ${other} page`)),
  ]);

test('reads a limited number of rows for words with many synonyms, even if few blocks are in memory', async () => {
  const path = `/v1/orgs/${organization.id}/search/synonyms`;
  const put = (groups: string[][]) =>
    json(
      path,
      { token: organization.token, method: 'PUT', body: { groups: groups.map((each) => ({ synonyms: each })) } },
      server,
    );
  await put(synonyms);

  for (const way of Object.values(ways)) {
    const { rows, titles } = await way(encodeURIComponent(frequent));
    expect(titles.length).toBeGreaterThanOrEqual(10);
    expect(rows).toBeLessThanOrEqual(maxRows);
  }
  await put([]);
});

describe.each(Object.entries(ways))('a search %s', (_, way) => {
  test.each([...costly, 'odd even', 'the '.repeat(128), 'a* '.repeat(170)])(
    `for %j reads a limited number of rows among ${size * sectionsPerPage} sections`,
    async (words) => {
      expect((await way(encodeURIComponent(words))).rows).toBeLessThanOrEqual(maxRows);
    },
  );

  test.each(['the', 'th', 'page', 'heading'])('finds pages by %j, which every page contains', async (words) => {
    expect((await way(words)).titles.length).toBeGreaterThanOrEqual(10);
  });
});

const suggest = (words: string, limit = 8) => {
  const path = `/v1/orgs/${organization.id}/search/suggestions?query=${encodeURIComponent(words)}&limit=${limit}`;
  return search(path, organization.token);
};

describe('suggestions', () => {
  test.each([...costly, 'quokka', 'pa', 'heading 1', 'page heading'])(
    `for %j read a limited number of rows among ${size * sectionsPerPage} sections`,
    async (words) => {
      expect((await suggest(words)).rows).toBeLessThanOrEqual(maxRows);
    },
  );

  test('read few rows for each suggestion', async () => {
    await suggest('page');
    const [one, many] = [await suggest('page', 1), await suggest('page', 20)];

    expect([one.titles.length, many.titles.length]).toEqual([1, 20]);
    expect(many.rows - one.rows).toBeLessThanOrEqual(19 * rowsOfPage);
    expect(one.rows).toBeLessThanOrEqual(rowsOfRare);
  });
});

test.each(['the', 'th', 'page', 'heading', 'quokka'])(
  'a search for %j costs the same in a space of 20 times the size',
  async (words) => {
    for (const pathOf of [
      (space: TestSpace) => `spaces/${space.id}`,
      (space: TestSpace) => `orgs/${space.organization}`,
    ]) {
      const getRows = async (space: TestSpace) => {
        const path = `/v1/${pathOf(space)}/search?query=${words}`;
        // The second search has all blocks in memory, but not the results.
        await search(`${path}&limit=11`, space.token);
        return (await search(`${path}&limit=10`, space.token)).rows;
      };
      expect(Math.abs((await getRows(big)) - (await getRows(medium)))).toBeLessThanOrEqual(fewRows);
    }
  },
);

test.each(Object.entries(ways))('repeats a search %s from memory', async (_, way) => {
  const first = await way('even+odd+heading');
  const second = await way('even+odd+heading');

  expect(second.titles).toEqual(first.titles);
  expect(first.rows).toBeGreaterThan(100);
  expect(second.rows).toBeLessThanOrEqual(rowsOfRepeated);
});

test('reads a limited number of rows for each page in the results', async () => {
  const getRows = async (limit: number) =>
    (await search(`/v1/spaces/${big.id}/search?query=the&limit=${limit}`, organization.token)).rows;
  const [one, many] = [await getRows(1), await getRows(51)];

  expect(many - one).toBeGreaterThan(50);
  expect(many - one).toBeLessThanOrEqual(50 * rowsOfPage);
});

test('reads a limited number of rows for spaces that all have many of the best pages', async () => {
  const owner = await server.makeOrganization();
  for (let number = 0; number < 25; number += 1)
    await insertPages(await server.makeSpace({ organization: owner, title: `Space ${number}` }), 12, 'lemur');
  const path = `/v1/orgs/${owner.id}/search?query=common`;
  await search(`${path}&limit=1`, owner.token);

  for (const limit of [2, 20, 100]) {
    const { rows, titles } = await search(`${path}&limit=${limit}`, owner.token);
    expect(new Set(titles).size).toBeGreaterThan(1);
    expect(rows).toBeLessThanOrEqual(maxRows);
  }
});

test('searching a small space costs the same and returns the same beside a large space', async () => {
  expect((await searchSmallSpace('quokka')).titles).toEqual(['Page 3']);
  expect((await searchSmallSpace('the')).titles).toHaveLength(20);
  expect((await searchSmallSpace('heading')).titles).toHaveLength(20);
  for (const [index, rows] of (await getCostsOfSmall()).entries())
    expect(Math.abs(rows - (aloneCosts[index] ?? 0))).toBeLessThanOrEqual(fewRows);
});

test('reads a limited number of rows if the best pages are excluded from search', async () => {
  const space = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Excluded' });
  await insertPages(space, 400, 'ibis');
  await writeDatabase(
    server,
    `UPDATE versions SET data = json_set(data, '$.fields.noIndex', json('true')) WHERE branch = ? AND slug <> 'page-3'`,
    space.id,
  );

  for (const path of [`spaces/${space.id}`, `orgs/${space.organization}`]) {
    const { rows, titles } = await search(`/v1/${path}/search?query=the+ibis`, space.token);
    expect([path, titles]).toEqual([path, ['Page 3']]);
    expect(rows).toBeLessThanOrEqual(rowsOfExcluded);
  }
});

test('hidden pages do not displace visible ones, however many sections they have', async () => {
  const searchTitles = async () => {
    const searchResult = await json<SearchResponse>(`/v1/orgs/${organization.id}/search?query=the`, reader, server);
    return searchResult.items.map(({ title }) => title);
  };
  const open = [];
  for (const title of ['First', 'Second', 'Third']) {
    const space = await server.makeSpace({ organization, title });
    await insertPages(space, 1, 'walrus');
    open.push(title);
    expect(await searchTitles()).toContain('Big');
    await json(
      `/v1/spaces/${big.id}`,
      { token: organization.token, method: 'PATCH', body: { defaultLevel: 'none' } },
      server,
    );
    expect((await searchTitles()).sort()).toEqual(open);
    await json(
      `/v1/spaces/${big.id}`,
      { token: organization.token, method: 'PATCH', body: { defaultLevel: null } },
      server,
    );
  }
});

test('pages that a guest cannot see do not displace visible pages', async () => {
  const visitor = await server.makeUser({ organization: organization.id, role: guest });
  const space = await server.makeSpace({ organization, title: 'Given' });
  await insertPages(space, 1, 'heron');
  const response = await server.request(`/v1/spaces/${space.id}/permissions`, {
    token: organization.token,
    body: { users: [visitor.user], teams: [], role: 'read' },
  });
  expect(response.status).toBe(204);

  const searchResult = await json<SearchResponse>(`/v1/orgs/${organization.id}/search?query=the`, visitor, server);

  expect(searchResult.items.map(({ title }) => title)).toEqual(['Given']);
});
