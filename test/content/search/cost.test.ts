import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writePast } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCost } from '../space-client.ts';

// Timings are noisy, so these tests count rows: rows of the index, joined rows, and rows that determine a page's
// position.
const maxRows = 4500;
const rowsOfSmall = 1200;
/** Tolerance in rows for the same search, because the depth of the word index differs. */
const fewRows = 10;
const size = 10_000;
const sizeOfMedium = size / 20;
const sectionsPerPage = 3;
/** Maximum number of rows for a page's position in the tree and its visible sections. */
const rowsOfPage = 30;

const server = platform({ countsRows: true });
let organization: TestOrganization;
let reader: TestUser;
let big: TestSpace;
let medium: TestSpace;
let small: TestSpace;

/**
 * Writes pages and sections directly to the database, in the form that indexing writes. All sections contain the same
 * words.
 */
async function plant({ id }: TestSpace, pages: number, rare: string): Promise<void> {
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)';
  await writePast(
    server,
    `${numbers} INSERT INTO versions (branch, kind, id, since, until, slug, data)
     SELECT ?, 'page', 'pg_' || substr(?, 5) || i, 0, 9007199254740991, 'page-' || i,
       json_object('fields', json_object('type', 'document', 'title', 'Page ' || i)) FROM n`,
    ...[pages, id, id],
  );
  await writePast(
    server,
    `${numbers}, part(k) AS (VALUES (0), (1), (2))
     INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body)
     SELECT (k << 32) + ((i + (SELECT COUNT(*) FROM search_sections)) * 2654435761 & 4294967295), s.id, s.organization, 'pg_' || substr(s.id, 5) || i, k, '',
       CASE k WHEN 0 THEN 'Page ' || i ELSE '' END, CASE k WHEN 0 THEN '' ELSE 'Heading ' || k END,
       'the common words, of which ' || CASE i WHEN 3 THEN ? ELSE 'none' END || ' is rare; 日 and 本; '
         || CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END
     FROM n CROSS JOIN part CROSS JOIN spaces s ON s.id = ?`,
    ...[pages, rare, id],
  );
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  reader = await server.makeUser({ organization: organization.id, role: 'read' });
  big = await server.makeSpace({ organization, title: 'Big' });
  medium = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Medium' });
  small = await server.makeSpace({ organization: await server.makeOrganization(), title: 'Small' });
  await plant(big, size, 'quokka');
  await plant(medium, sizeOfMedium, 'quokka');
  await plant(small, 20, 'quokka');
});

interface Found {
  items: { title: string; pages?: { title: string }[] }[];
}

async function search(path: string, token: string): Promise<{ rows: number; titles: string[] }> {
  const answer = await server.request(path, { token });
  expect([path, answer.status]).toEqual([path, 200]);
  const { items } = (await answer.json()) as Found;
  return {
    rows: getCost(answer).read,
    titles: items.flatMap(({ title, pages }) => pages?.map((page) => page.title) ?? title),
  };
}

const ways = {
  'of a space': (words: string) => search(`/v1/spaces/${big.id}/search?query=${words}`, organization.token),
  'of an organization': (words: string) =>
    search(`/v1/orgs/${organization.id}/search?query=${words}`, organization.token),
};

const costly = ['the', 'th', 't', 'a', 'page', 'heading', 'commo', 'the common words of which none is rare', '日本'];

describe.each(Object.entries(ways))('a search %s', (_, way) => {
  test.each([...costly, 'odd even', 'the '.repeat(128), 'a* '.repeat(170)])(
    `for %j reads a limited number of rows among ${size * sectionsPerPage} sections`,
    async (words) => {
      expect((await way(encodeURIComponent(words))).rows).toBeLessThanOrEqual(maxRows);
    },
  );

  test('finds a rare word in one of the pages', async () => {
    expect((await way('quokka')).titles).toEqual(['Page 3']);
  });

  test.each(['the', 'th', 'page', 'heading'])('finds pages by %j, which every page contains', async (words) => {
    expect((await way(words)).titles.length).toBeGreaterThanOrEqual(10);
  });
});

test.each(['the', 'th', 'page', 'heading', 'quokka'])(
  'a search for %j costs the same in a space of 20 times the size',
  async (words) => {
    for (const pathOf of [
      (space: TestSpace) => `spaces/${space.id}`,
      (space: TestSpace) => `orgs/${space.organization}`,
    ]) {
      const getRows = async (space: TestSpace) =>
        (await search(`/v1/${pathOf(space)}/search?query=${words}`, space.token)).rows;
      expect(Math.abs((await getRows(big)) - (await getRows(medium)))).toBeLessThanOrEqual(fewRows);
    }
  },
);

test('reads a limited number of rows for each page in the results', async () => {
  const getRows = async (limit: number) =>
    (await search(`/v1/spaces/${big.id}/search?query=the&limit=${limit}`, organization.token)).rows;
  const [one, many] = [await getRows(1), await getRows(51)];

  expect(many - one).toBeGreaterThan(50);
  expect(many - one).toBeLessThanOrEqual(50 * rowsOfPage);
});

test('searching a small space costs the same and returns the same beside a large space', async () => {
  const of = (words: string) =>
    search(`/v1/spaces/${small.id}/search?query=${encodeURIComponent(words)}&limit=1000`, small.token);

  expect((await of('quokka')).titles).toEqual(['Page 3']);
  expect((await of('the')).titles).toHaveLength(20);
  expect((await of('heading')).titles).toHaveLength(20);
  for (const words of costly) expect((await of(words)).rows).toBeLessThanOrEqual(rowsOfSmall);
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
