import { beforeAll, describe, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { insertPages, type Search, search } from './inserted-space.ts';

/**
 * Maximum number of rows and round trips of a search in a change request. `Changes` is the first search if few pages
 * changed, `First` the first search in any change request, and `Following` a later search with other words.
 */
const rowsOfChanges = 350;
const rowsOfFirst = 2000;
const rowsOfFollowing = 150;
/** Maximum number of further rows if many reusable contents changed in live content. */
const rowsOfChangedContents = 150;
const maxChangedPages = 200;
const [tripsOfFirst, tripsOfFollowing] = [10, 4];
/** Tolerance in rows for the same search, because the index of a larger space has more blocks. */
const fewRows = 10;
const server = platform({ countsRows: true });
const forever = Number.MAX_SAFE_INTEGER;

async function makeSpace(pages: number): Promise<TestSpace> {
  const space = await server.makeSpace({ organization: await server.makeOrganization() });
  await insertPages(space, pages, 'ibis');
  return space;
}

const getPage = ({ id }: TestSpace, number: number) => `pg_${id.slice(4)}${number}`;

/** Opens a change request that edits, deletes, moves and inserts pages. Returns a function that searches it. */
async function openChangeRequest(space: TestSpace): Promise<(words: string) => Promise<Search>> {
  const client = getClient(server, space);
  const branch = await client.open();
  const getNumberedPage = (number: number) => getPage(space, number);
  await client.change(
    [
      ...[1, 2, 3].map((number) => writePage(getNumberedPage(number), `A walrus ${number}, and the common words.`)),
      { operation: 'delete_page', page: getNumberedPage(4) },
      { operation: 'update_page', page: getNumberedPage(5), into: getNumberedPage(6) },
      insertPage('A walrus', { into: getNumberedPage(7) }),
    ],
    branch,
  );
  return searchIn(space, branch);
}

const searchIn =
  ({ id, token }: TestSpace, branch: string) =>
  (words: string) =>
    search(`/v1/spaces/${id}/change-requests/${branch}/search?query=${words}`, token);

test('costs the same in a space of ten times the size, and less once its pages are in memory', async () => {
  const costs: Search[][] = [];
  for (const space of [await makeSpace(1000), await makeSpace(100)]) {
    const find = await openChangeRequest(space);
    const [first, second] = [await find('walrus'), await find('walrus+ibis')];
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

test('costs the same if live content has many files and reusable contents, and many revisions since then', async () => {
  const space = await makeSpace(20);
  const client = getClient(server, space);
  const find = await openChangeRequest(space);
  const editLive = (number: number) => client.change([writePage(getPage(space, number), 'A penguin.')]);
  await editLive(8);
  const before = await find('walrus');
  const [{ seq } = { seq: 0 }] = queryDatabase<{ seq: number }>(
    server.dataDir,
    'SELECT MAX(seq) AS seq FROM revisions WHERE branch = ?',
    space.id,
  );
  for (const kind of ['file', 'reusable-content', 'variable'])
    for (const since of [0, seq])
      await writeDatabase(
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

test('the most recently changed pages are searched with their own text if too many are changed', async () => {
  const pagesOfMany = 300;
  const space = await makeSpace(pagesOfMany);
  const client = getClient(server, space);
  const branch = await client.open();
  const pages = Array.from({ length: pagesOfMany }, (_, number) => getPage(space, number));
  for (let first = 0; first < pages.length; first += 50)
    await client.change(
      pages.slice(first, first + 50).map((id) => writePage(id, 'A walrus.')),
      branch,
    );
  const find = searchIn(space, branch);

  const first = await find('walrus&limit=5');
  const second = await find('a+walrus&limit=5');

  expect(first.rows).toBeLessThanOrEqual(rowsOfFirst);
  expect(first.trips).toBeLessThanOrEqual(tripsOfFirst);
  expect(second.rows).toBeLessThanOrEqual(rowsOfFollowing);
  expect(second.trips).toBeLessThanOrEqual(tripsOfFollowing);
  // The pages that changed first exceed the limit, so their live text is searched.
  expect((await find('ibis&limit=100')).titles).toEqual(['Page 3']);
  expect((await find('odd&limit=100')).titles).toHaveLength((pagesOfMany - maxChangedPages) / 2);
});

describe('the first search reads a limited number of rows', () => {
  const pages = 1000;
  let space: TestSpace;
  /** SQL for the id of page `i`, and for a table with the numbers of all pages. */
  const selectPage = (number: string) => `'pg_' || substr(?1, 5) || (${number})`;
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 1000)';

  beforeAll(async () => {
    space = await makeSpace(pages);
    // Each page has three children.
    await writeDatabase(
      server,
      `UPDATE versions SET parent = ${selectPage('(substr(slug, 6) - 1) / 3')} WHERE branch = ?1 AND slug <> 'page-0'`,
      space.id,
    );
    await writeDatabase(
      server,
      `${numbers} INSERT INTO documents (hash, markdown, bytes, anchors)
       SELECT 'changed' || substr(?1, 5) || i, 'A walrus ' || i || '.', 13, '' FROM n`,
      space.id,
    );
  });

  const readHead = (branch: string) => {
    const [head] = queryDatabase<{ seq: number }>(
      server.dataDir,
      'SELECT MAX(seq) AS seq FROM revisions WHERE branch = ?',
      branch,
    );
    return head?.seq ?? 0;
  };

  interface VersionsToInsert {
    branch: string;
    /** SQL for the number of the revision with the version of page `i`. */
    since: string;
    parent?: string;
    document?: string;
    fields?: string;
    /** The number of pages. */
    pages?: number;
  }

  /** Writes a version of each page, as edits of a branch would. */
  const insertVersions = ({ branch, since, parent, document, fields = '', pages: count = pages }: VersionsToInsert) =>
    writeDatabase(
      server,
      `${numbers} INSERT OR REPLACE INTO versions (branch, kind, id, since, until, slug, parent, document, data)
       SELECT ?2, 'page', ${selectPage('i')}, ${since}, ${forever}, 'page-' || i, ${parent ?? `iif(i = 0, '', ${selectPage('(i - 1) / 3')})`},
         ${document ?? 'NULL'}, json_object('fields', json_object('type', 'document', 'title', 'Page ' || i ${fields}), 'createdAt', 0, 'updatedAt', 0)
       FROM n WHERE i < ?3`,
      ...[space.id, branch, count],
    );

  /** Checks the cost of the first search in a change request. The search uses the default limit. */
  async function expectFewRows(branch: string, titles?: number) {
    const first = await searchIn(space, branch)('walrus');
    expect(first.rows).toBeLessThanOrEqual(rowsOfFirst);
    expect(first.trips).toBeLessThanOrEqual(tripsOfFirst);
    if (titles !== undefined) expect(first.titles.length).toBe(titles);
  }

  const document = "'changed' || substr(?1, 5) || i";
  const noIndex = ", 'noIndex', json('true')";
  const cases: Record<string, [versions: Partial<VersionsToInsert>, titles?: number]> = {
    'with other texts': [{ document }, 50],
    'with other texts at the top of the tree': [{ document, parent: "''" }, 50],
    'that were moved': [{ parent: "''" }],
    'that are excluded from search': [{ document, fields: noIndex }],
  };

  test.each(Object.entries(cases))('if it has 1,000 pages %s', async (_, [versions, titles]) => {
    const client = getClient(server, space);
    const branch = await client.open();
    await client.change([insertPage('A walrus')], branch);
    await insertVersions({ branch, since: String(readHead(branch)), ...versions });

    await expectFewRows(branch, titles);
  });

  test('if it excludes a page from search that has 1,000 pages below', async () => {
    const client = getClient(server, space);
    const branch = await client.open();
    await client.change(
      [insertPage('A walrus'), { operation: 'update_page', page: getPage(space, 0), noIndex: true }],
      branch,
    );

    await expectFewRows(branch, 1);
  });

  test('if 1,000 pages of live content have changed since, and 100 of its own', async () => {
    const client = getClient(server, space);
    const branch = await client.open();
    await client.change([insertPage('A walrus')], branch);
    await insertVersions({ branch, since: String(readHead(branch)), document, pages: 100 });
    const head = readHead(space.id);
    await insertVersions({ branch: space.id, since: `${head + 1} + i / 4`, document: "'unknown'" });
    await writeDatabase(
      server,
      `INSERT INTO revisions (id, space, branch, seq, type, parents, lineage, author, created_at)
       SELECT id || 'planted', space, branch, seq + 250, type, parents, json_array(json_array(branch, seq + 250)), author, created_at
       FROM revisions WHERE branch = ? AND seq = ?`,
      ...[space.id, head],
    );

    await expectFewRows(branch, 50);
  });
});
