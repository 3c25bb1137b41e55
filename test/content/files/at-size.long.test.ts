import { beforeAll, expect, test } from 'vitest';
import { expectSameCost, measurePages } from '../../support/at-size.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { Cost, SpaceClient, TestFile } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { createFiles, createInsertion, createPixel, createTextFile, insertFiles } from './file-client.ts';

const sizes = [100, 10_000];
const perBatch = 100;
const growthLimitMilliseconds = 180_000;
/** Tolerance in rows read, for the depth of the index. */
const fewRows = 4;

let newSpace: TestSpace;
let space: SpaceClient;
const costs = new Map<number, Record<string, Cost>>();
let pages: Cost[] = [];

async function insertUntil(from: number, to: number): Promise<void> {
  const twenty = createInsertion(Array.from({ length: 20 }, () => createPixel('a.png')));
  for (let count = from; count < to; count += perBatch)
    await space.callJson('/content', post([twenty, twenty, twenty, twenty, twenty]));
}

const post = (changes: object[]) => ({ method: 'POST', body: { changes } });

async function measure(size: number): Promise<void> {
  const [file] = await createFiles(space, [createTextFile('a.txt', `the file at ${size}`)]);
  const branch = await space.open();
  await createFiles(space, [createTextFile('b.txt', `another at ${size}`)], branch);
  const read = async (path: string) => (await space.call<{ items: TestFile[] }>(path)).cost;
  costs.set(size, {
    'a page of 3': await read('/content/files?limit=3'),
    'a page of 3 in a change request': await read(`/change-requests/${branch}/content/files?limit=3`),
    'one file': await read(`/content/files/${file?.id}`),
    'insert 1': (await insertFiles(space, [createTextFile('c.txt', `one at ${size}`)])).cost,
    'insert 2': (
      await insertFiles(
        space,
        ['d', 'e'].map((name) => createTextFile(name, `${name} at ${size}`)),
      )
    ).cost,
    rename: (await space.edit([{ operation: 'update_file', file: file?.id, name: 'f.txt' }])).cost,
  });
}

beforeAll(async () => {
  const server = platform();
  newSpace = await server.makeSpace();
  space = getClient(server, newSpace);
  let grown = 0;
  for (const size of sizes) {
    await insertUntil(grown, size);
    grown = size;
    await measure(size);
  }
  pages = await measurePages(server, `/v1/spaces/${newSpace.id}/content/files`, newSpace.token);
}, growthLimitMilliseconds);

const [few = 0, many = 0] = sizes;

test.each(['a page of 3', 'a page of 3 in a change request', 'one file', 'insert 1', 'insert 2', 'rename'])(
  '%s costs the same however many files there are',
  (operation) => {
    const [before, after] = [few, many].map((size) => costs.get(size)?.[operation]);

    expect([after?.trips, after?.written]).toEqual([before?.trips, before?.written]);
    expect(Math.abs((after?.read ?? 0) - (before?.read ?? 0))).toBeLessThanOrEqual(fewRows);
  },
);

test('a read takes one round trip, an insertion three', () => {
  const getTrips = (operation: string) => costs.get(many)?.[operation]?.trips;

  expect([getTrips('a page of 3'), getTrips('one file'), getTrips('insert 1'), getTrips('insert 2')]).toEqual([
    1, 1, 3, 3,
  ]);
  expect(costs.get(many)?.['a page of 3']?.read).toBeLessThan(40);
});

test('every page of a long list costs the same', () => {
  expectSameCost(pages);
});

test('earlier versions of a file increase only the cost of the list page with that file', async () => {
  const [file] = await createFiles(space, [createTextFile('a', 'often renamed')]);
  const measurePage = async (page = '') =>
    (await space.call<{ next?: { page: string } }>(`/content/files?limit=3${page}`)).cost;
  const next = (await space.callJson<{ next: { page: string } }>('/content/files?limit=3')).next.page;
  const before = [await measurePage(), await measurePage(`&page=${next}`)];
  for (let count = 0; count < 20; count += 1)
    await space.edit([{ operation: 'update_file', file: file?.id, name: `${count}` }]);
  const after = [await measurePage(), await measurePage(`&page=${next}`)];

  expect((after[0]?.read ?? 0) - (before[0]?.read ?? 0)).toBeLessThanOrEqual(3 * 20);
  expect(after[1]?.read).toBe(before[1]?.read);
});
