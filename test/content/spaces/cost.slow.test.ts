import { beforeAll, expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { Cost } from '../space-client.ts';
import { getClient, getCost, insertPage, writePage } from '../space-client.ts';
import type { TestSpaceItem } from './space-life.ts';
import { getLifecycles } from './space-life.ts';

// Operations on a whole space cost the same for any content size (design: content model, "Why").

const sizes = [10, 10_000];
/** Tolerance in rows read, because an index seek may also read neighboring rows. */
const fewRows = 6;
const mostTrips: Record<string, number> = { duplicate: 3, delete: 2, restore: 3, move: 5, merge: 4 };

const server = platform({ countsRows: true });
let organization: TestOrganization;
beforeAll(async () => {
  organization = await server.makeOrganization();
});

/** Makes a space and writes `size` pages directly to the database, as its second revision. */
async function makeSpaceOfSize(size: number): Promise<TestSpaceItem> {
  const space = await getLifecycles(organization, server).make();
  const content = getClient(server, { ...space, token: organization.token });
  await content.change([insertPage('First')]);
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
    SELECT v.branch, v.kind, printf('pg_%s%05d', substr(?1, 5), i), v.since, v.until, '', v.position || printf('%05d', i),
      printf('planted-%d', i), 0, v.data, v.document
    FROM n CROSS JOIN versions v ON v.branch = ?1 AND v.kind = 'page'`,
    space.id,
    size,
  );
  expect(await content.pages()).toHaveLength(size + 1);
  return space;
}

async function measureCosts(size: number): Promise<Record<string, Cost>> {
  const { token } = organization;
  const source = await makeSpaceOfSize(size);
  const lives = getLifecycles(organization, server);
  const costs: Record<string, Cost> = {};
  const recordCost = async (name: string, response: Promise<Response>) => {
    const { status, headers } = await response;
    expect([name, status]).toEqual([name, expect.toSatisfy((code: number) => code < 300)]);
    costs[name] = getCost({ headers } as Response);
  };
  const copied = lives.duplicate(source.id);
  await recordCost('duplicate', copied);
  const copy = getClient(server, { id: ((await (await copied).json()) as TestSpaceItem).id, token });
  expect(await copy.pages()).toHaveLength(size + 1);
  const branch = await copy.open();
  await copy.change([writePage(`pg_${source.id.slice(4)}00007`, 'Anew.\n')], branch);
  const merged = await copy.merge(branch);
  expect(merged.body.result).toBe('merge');
  costs.merge = merged.cost;
  await recordCost('delete', lives.remove(copy.space));
  await recordCost('restore', lives.restore(copy.space));
  await recordCost('move', lives.move(copy.space, { position: { before: { type: 'space', space: source.id } } }));
  return costs;
}

test('copying, deleting, restoring, moving and merging into a space cost the same with 10 and with 10,000 pages', async () => {
  const [few = {}, many = {}] = [await measureCosts(sizes[0] ?? 0), await measureCosts(sizes[1] ?? 0)];

  for (const [name, { trips, read, written }] of Object.entries(few)) {
    expect([name, many[name]?.trips, many[name]?.written]).toEqual([name, trips, written]);
    expect([name, (many[name]?.read ?? 0) - read]).toEqual([name, expect.toSatisfy((more: number) => more <= fewRows)]);
    expect([name, trips]).toEqual([name, expect.toSatisfy((count: number) => count <= (mostTrips[name] ?? 0))]);
  }
  expect(Object.keys(few).sort()).toEqual(Object.keys(mostTrips).sort());
}, 180_000);
