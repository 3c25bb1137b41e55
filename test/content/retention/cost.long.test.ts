import { expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { insertLargeSpace } from './large-space.ts';
import type { StepCost } from './trash.ts';
import { advanceOneDay, getCosts, queueJob, setDeletedDaysAgo, waitForAllJobs } from './trash.ts';

const getMaximum = (steps: StepCost[] = [], of: keyof StepCost) => Math.max(...steps.map((step) => step[of]));

const findMaximums = (costs: Record<string, StepCost[]>, of: keyof StepCost) =>
  Object.fromEntries(
    Object.entries(costs)
      .map(([stage, steps]) => [stage, getMaximum(steps, of)] as const)
      .toSorted(),
  );

/** Limits for one step, which deletes at most 500 versions with their dependent rows, and 500 revisions. */
const bounds: StepCost = { trips: 5, rowsRead: 12_000, rowsWritten: 2000 };

/** Limits for one step that removes the space from a segment of the search index. */
const searchBounds: StepCost = { trips: 10, rowsRead: 500, rowsWritten: 200 };

/** Checks that a flattening step costs the same whatever the number of revisions. */
async function expectBoundedCuts(server: OwnPlatform, spaces: [TestSpace, TestSpace]): Promise<void> {
  for (const { id } of spaces) await queueJob(server, id, { type: 'flatten_space', data: {} });
  await waitForAllJobs(server);
  const costs = await Promise.all(spaces.map(({ id }) => getCosts(server, id, 'flatten_space')));
  const [fewCut, manyCut] = costs.map(({ cut = [] }) => cut);
  expect(manyCut?.length).toBeGreaterThan(2 * (fewCut?.length ?? 0));
  for (const figure of ['rowsRead', 'rowsWritten'] as const) {
    // The step that continues from main to the change requests may read a few rows more or less.
    expect(Math.abs(getMaximum(manyCut, figure) - getMaximum(fewCut, figure))).toBeLessThan(20);
  }
}

/** Adds 3,000 copies of a space that read its first revision. */
async function copyManyTimes({ dataDir }: OwnPlatform, { id }: TestSpace): Promise<void> {
  await writeDatabase(
    { dataDir },
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
      INSERT INTO lineage_sources (source, space, seq) SELECT ?, 'spc_copy' || n, 1 FROM n`,
    id,
  );
}

test('a purge step costs the same in a space of any size', { timeout: 180_000 }, async () => {
  const server = await startOwnPlatform();
  try {
    // In different organizations, because concurrent purges change the search index of one organization, so that steps are repeated.
    const [small, large] = [await server.makeSpace(), await server.makeSpace()];
    await insertLargeSpace(server, small, { pages: 1500, changeRequests: 600 });
    await insertLargeSpace(server, large, { pages: 6000, changeRequests: 1800 });
    await expectBoundedCuts(server, [small, large]);
    await copyManyTimes(server, large);
    for (const { id } of [small, large]) await setDeletedDaysAgo(server, id, 8);

    await advanceOneDay(server);

    const [few, many] = [await getCosts(server, small.id), await getCosts(server, large.id)];
    const count = (costs: Record<string, StepCost[]>) => Object.values(costs).flat().length;
    expect(Object.keys(many).toSorted()).toEqual([
      'branches',
      'change_requests',
      'imports',
      'revisions',
      'search',
      'space',
      'versions',
    ]);
    expect(count(many)).toBeGreaterThan(2 * count(few));
    for (const figure of ['trips', 'rowsRead', 'rowsWritten'] as const) {
      // The number of rows in a step of the stage `branches` depends on where the step starts, and a step of the stage
      // `search` rewrites a segment of limited size, so these stages are only checked against a limit.
      const { branches: ofFew = 0, search: searchOfFew = 0, ...smaller } = findMaximums(few, figure);
      const { branches: ofMany = 0, search: searchOfMany = 0, ...larger } = findMaximums(many, figure);
      expect(Object.keys(larger)).toEqual(Object.keys(smaller));
      for (const [stage, cost] of Object.entries(larger)) {
        // Reading a table to its end costs one row less.
        const isSame = Math.abs(cost - (smaller[stage] ?? 0)) < 10;
        expect([figure, stage, isSame, cost]).toEqual([figure, stage, true, cost]);
      }
      for (const rows of [ofFew, ofMany]) expect(rows).toBeLessThan(bounds[figure]);
      for (const rows of [searchOfFew, searchOfMany]) expect(rows).toBeLessThan(searchBounds[figure]);
    }
  } finally {
    await server.remove();
  }
});
