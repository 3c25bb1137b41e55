import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { readPast, writePast } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';
import { getClient, getCost, insertPage, writePage } from '../space-client.ts';
import { plant, sectionsPerPage, vocabulary } from './planted-space.ts';

// Timings are noisy, so these tests count rows: segments and blocks of the index, and rows that determine a page's
// position.
/** Maximum number of rows for any query, and for a word that few pages contain, if no block is in memory yet. */
const maxRows = 2000;
const rowsOfRare = 65;
/** Maximum number of rows for a repeated search: the segments, the spaces and their heads, and the authorization. */
const rowsOfRepeated = 30;
/** Maximum number of rows if none of the 200 best pages but one is in the results. */
const rowsOfExcluded = 2500;
/** Tolerance in rows for the same search, because authorization reads a row more at times. An index has more segments. */
const fewRows = 5;
const size = isOfAll ? 10_000 : 4000;
const sizeOfMedium = size / 20;
/** Maximum number of rows for a page's position in the tree and its visible sections. */
const rowsOfPage = 12;
/**
 * Maximum number of rows and round trips of the first search in a change request with few changes, and with more than
 * are indexed; and of a search with other words after it.
 */
const rowsOfChanges = 350;
const rowsOfManyChanges = 5000;
const rowsOfFollowing = 150;
/** Maximum number of further rows if many reusable contents changed in live content. */
const rowsOfChangedContents = 150;
const [pagesOfMany, maxChangedPages] = [300, 200];
const [tripsOfFirst, tripsOfFollowing] = [10, 4];
const server = platform({ countsRows: true });
let organization: TestOrganization;
let reader: TestUser;
let big: TestSpace;
let medium: TestSpace;
let small: TestSpace;
/** The cost of each costly search of the small space before there were others, and of a rare word. */
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
  await plant(small, 20, 'quokka');
  aloneCosts = await getCostsOfSmall();
  big = await server.makeSpace({ organization, title: 'Big' });
  medium = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Medium' });
  await plant(big, size, 'quokka');
  await plant(medium, sizeOfMedium, 'quokka');
});

interface Found {
  items: { title: string; pages?: { title: string }[] }[];
}

interface Search {
  rows: number;
  trips: number;
  titles: string[];
}

async function search(path: string, token: string): Promise<Search> {
  const answer = await server.request(path, { token });
  expect([path, answer.status]).toEqual([path, 200]);
  const { items } = (await answer.json()) as Found;
  const { read: rows, trips } = getCost(answer);
  return { rows, trips, titles: items.flatMap(({ title, pages }) => pages?.map((page) => page.title) ?? title) };
}

let limit = 1000;
/** Searches with another limit each time, because repeated searches are cached. All limits return all pages. */
function searchSmall(words: string) {
  limit -= 1;
  return search(`/v1/spaces/${small.id}/search?query=${encodeURIComponent(words)}&limit=${limit}`, small.token);
}

/** Returns the costs of searches of which all blocks are in memory, but not the results. */
async function getCostsOfSmall(): Promise<number[]> {
  const costs: number[] = [];
  for (const words of [...costly, 'quokka']) {
    await searchSmall(words);
    costs.push((await searchSmall(words)).rows);
  }
  return costs;
}

const ways = {
  'of a space': (words: string) => search(`/v1/spaces/${big.id}/search?query=${words}&limit=100`, organization.token),
  'of an organization': (words: string) =>
    search(`/v1/orgs/${organization.id}/search?query=${words}&limit=100`, organization.token),
};

test(`finds a rare word in one of ${size} pages by few rows, even if no block is in memory`, async () => {
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
    await plant(await server.makeSpace({ organization: owner, title: `Space ${number}` }), 12, 'lemur');
  const path = `/v1/orgs/${owner.id}/search?query=common`;
  await search(`${path}&limit=1`, owner.token);

  for (const limit of [2, 20, 100]) {
    const { rows, titles } = await search(`${path}&limit=${limit}`, owner.token);
    expect(new Set(titles).size).toBeGreaterThan(1);
    expect(rows).toBeLessThanOrEqual(maxRows);
  }
});

test('searching a small space costs the same and returns the same beside a large space', async () => {
  expect((await searchSmall('quokka')).titles).toEqual(['Page 3']);
  expect((await searchSmall('the')).titles).toHaveLength(20);
  expect((await searchSmall('heading')).titles).toHaveLength(20);
  for (const [index, rows] of (await getCostsOfSmall()).entries())
    expect(Math.abs(rows - (aloneCosts[index] ?? 0))).toBeLessThanOrEqual(fewRows);
});

test('reads a limited number of rows if the best pages are excluded from search', async () => {
  const space = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Excluded' });
  await plant(space, 400, 'ibis');
  await writePast(
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
  const titles = async () => {
    const found = await json<Found>(`/v1/orgs/${organization.id}/search?query=the`, reader, server);
    return found.items.map(({ title }) => title);
  };
  const open = [];
  for (const title of ['First', 'Second', 'Third']) {
    const space = await server.makeSpace({ organization, title });
    await plant(space, 1, 'walrus');
    open.push(title);
    expect(await titles()).toContain('Big');
    await json(
      `/v1/spaces/${big.id}`,
      { token: organization.token, method: 'PATCH', body: { defaultLevel: 'none' } },
      server,
    );
    expect((await titles()).sort()).toEqual(open);
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
  await plant(space, 1, 'heron');
  const given = await server.request(`/v1/spaces/${space.id}/permissions`, {
    token: organization.token,
    body: { users: [visitor.user], teams: [], role: 'read' },
  });
  expect(given.status).toBe(204);

  const found = await json<Found>(`/v1/orgs/${organization.id}/search?query=the`, visitor, server);

  expect(found.items.map(({ title }) => title)).toEqual(['Given']);
});

describe('a search in a change request', () => {
  /** Opens a change request that edits and deletes pages, moves one, and inserts one. */
  async function propose({ id, token }: TestSpace): Promise<(words: string) => Promise<Search>> {
    const client = getClient(server, { id, token });
    const branch = await client.open();
    const page = (number: number) => `pg_${id.slice(4)}${number}`;
    await client.change(
      [
        ...[1, 2, 3].map((number) => writePage(page(number), `A walrus ${number}, and the common words.`)),
        { operation: 'delete_page', page: page(4) },
        { operation: 'update_page', page: page(5), into: page(6) },
        insertPage('A walrus', { into: page(7) }),
      ],
      branch,
    );
    return (words) => search(`/v1/spaces/${id}/change-requests/${branch}/search?query=${words}`, token);
  }

  test('costs the same in a space of 20 times the size, and less once its pages are in memory', async () => {
    const costs: Search[][] = [];
    for (const space of [big, medium]) {
      const find = await propose(space);
      const [first, second] = [await find('walrus'), await find('walrus+quokka')];
      expect([first.titles.length, second.titles.length]).toEqual([4, 4]);
      expect(first.rows).toBeLessThanOrEqual(rowsOfChanges);
      expect(first.trips).toBeLessThanOrEqual(tripsOfFirst);
      expect(second.rows).toBeLessThanOrEqual(rowsOfFollowing);
      expect(second.trips).toBeLessThanOrEqual(tripsOfFollowing);
      costs.push([first, second]);
    }
    const [[, ofBig], [, ofMedium]] = costs as [[Search, Search], [Search, Search]];
    expect(Math.abs(ofBig.rows - ofMedium.rows)).toBeLessThanOrEqual(fewRows);
  });

  test('reads a limited number of rows if many pages are changed', async () => {
    const space = await server.makeSpace({ organization: await server.makeOrganization() });
    const client = getClient(server, space);
    await plant(space, pagesOfMany, 'ibis');
    const branch = await client.open();
    const pages = Array.from({ length: pagesOfMany }, (_, number) => `pg_${space.id.slice(4)}${number}`);
    for (let first = 0; first < pages.length; first += 50)
      await client.change(
        pages.slice(first, first + 50).map((id) => writePage(id, 'A walrus.')),
        branch,
      );
    const path = `/v1/spaces/${space.id}/change-requests/${branch}/search?query=`;

    const first = await search(`${path}walrus&limit=5`, space.token);
    const second = await search(`${path}a+walrus&limit=5`, space.token);
    const found = async (words: string) => (await search(`${path}${words}&limit=100`, space.token)).titles;

    expect(first.rows).toBeLessThanOrEqual(rowsOfManyChanges);
    expect(first.trips).toBeLessThanOrEqual(tripsOfFirst);
    expect(second.rows).toBeLessThanOrEqual(rowsOfFollowing);
    expect(second.trips).toBeLessThanOrEqual(tripsOfFollowing);
    // Of the pages that changed first, the live text is searched.
    expect(await found('ibis')).toEqual(['Page 3']);
    expect(await found('odd')).toHaveLength((pagesOfMany - maxChangedPages) / 2);
  });

  test('costs the same if live content has many files and contents, and a revision with many since', async () => {
    const space = await server.makeSpace({ organization: await server.makeOrganization() });
    await plant(space, 20, 'ibis');
    const client = getClient(server, space);
    const find = await propose(space);
    const editLive = (number: number) => client.change([writePage(`pg_${space.id.slice(4)}${number}`, 'A penguin.')]);
    await editLive(8);
    const before = await find('walrus');
    const [{ seq } = { seq: 0 }] = readPast<{ seq: number }>(
      server.dataDir,
      'SELECT MAX(seq) AS seq FROM revisions WHERE branch = ?',
      space.id,
    );
    for (const kind of ['file', 'reusable-content', 'variable'])
      for (const since of [0, seq])
        await writePast(
          server,
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
           INSERT INTO versions (branch, kind, id, since, until) SELECT ?, ?, ? || i, ?, 9007199254740991 FROM n`,
          ...[space.id, kind, `${kind}${since}`, since],
        );
    await editLive(9);
    const after = await find('walrus');

    expect([before.titles.length, after.titles.length]).toEqual([4, 4]);
    expect(after.rows - before.rows).toBeLessThanOrEqual(rowsOfChangedContents);
  });
});
