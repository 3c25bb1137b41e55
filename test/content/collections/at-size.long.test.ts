import { beforeAll, describe, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCollections, getCost } from './collection-client.ts';

const size = 10_000;
const perPage = 500;
/** Tolerance in rows read per page, because collections are created and deleted while the list is read. */
const fewRows = 60;

const server = platform({ countsRows: true });
let organization: TestOrganization;
let reader: string;

beforeAll(async () => {
  organization = await server.makeOrganization();
  reader = (await server.makeUser({ organization: organization.id, role: 'read' })).token;
  // Every second collection is nested in the one before it. New collections sort before all of these.
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${size - 1})
    INSERT INTO collections (id, organization, parent, title, created_by, created_at, position)
    SELECT printf('col_many%05d', i), ?, CASE WHEN i % 2 = 1 THEN printf('col_many%05d', i - 1) END, 'One of many', '', 1,
      'iz' || printf('%08d', i) FROM n`,
    organization.id,
  );
});

interface Page {
  items: { id: string }[];
  next?: { page: string };
}

const createSeededId = (index: number) => `col_many${String(index).padStart(5, '0')}`;

/** Pages through the whole list and calls `change` after each page. */
async function walkDuringChanges(query: string, token: string, change: (page: number) => Promise<void>) {
  const ids: string[] = [];
  const costs: { trips: number; read: number }[] = [];
  let next: string | undefined;
  do {
    const more = next === undefined ? '' : `&page=${next}`;
    const path = `/v1/orgs/${organization.id}/collections?limit=${perPage}${query}${more}`;
    const response = await server.request(path, { token });
    expect(response.status).toBe(200);
    costs.push(getCost(response));
    const page = (await response.json()) as Page;
    ids.push(...page.items.map(({ id }) => id));
    next = page.next?.page;
    await change(costs.length);
  } while (next !== undefined);
  return { ids, costs: costs.slice(0, -1) };
}

/** Returns the inserted collections that still exist, in list order. */
const countRemaining = (only: string) =>
  queryDatabase<{ id: string }>(
    server.dataDir,
    `SELECT id FROM collections WHERE deleted_at IS NULL AND id GLOB 'col_many[0-9][0-9][0-9][0-9][0-9]' ${only} ORDER BY position, id`,
  ).map(({ id }) => id);

let round = 0;

describe.each([
  ['all', '', ''],
  ['collections at the top level', '&nested=false', 'AND parent IS NULL'],
])('with 10,000 collections, a list of %s', (_, query, only) => {
  test.each(['admin', 'reader'])(
    'returns each entry exactly once to the %s, at a constant cost per page, while other entries change',
    async (who) => {
      const { make, remove } = getCollections(organization, server);
      const token = who === 'admin' ? organization.token : reader;
      round += 1;
      const { ids, costs } = await walkDuringChanges(query, token, async (page) => {
        await make();
        // Delete one collection that was already listed and one that was not, each with the collection nested in it.
        for (const index of [page * 8 + round * 2, size - page * 8 - round * 2]) {
          expect((await remove(createSeededId(index))).status).toBe(205);
        }
      });

      expect(new Set(ids).size).toBe(ids.length);
      const still = new Set(countRemaining(only));
      expect(ids.filter((id) => still.has(id))).toEqual([...still]);
      expect(new Set(costs.map(({ trips }) => trips)).size).toBe(1);
      const read = costs.map((cost) => cost.read);
      expect(Math.max(...read) - Math.min(...read), String(read)).toBeLessThanOrEqual(fewRows);
      expect(Math.max(...read), String(read)).toBeLessThan(perPage * 10);
    },
  );
});
