import { expect, test } from 'vitest';
import { ownPlatform } from '../../support/own-platform.ts';
import { plant } from './plant.ts';
import type { StepCost } from './trash.ts';
import { costsOf, deletedFor, passDay } from './trash.ts';

const most = (costs: Record<string, StepCost[]>, of: keyof StepCost) =>
  Object.fromEntries(
    Object.entries(costs)
      .map(([stage, steps]) => [stage, Math.max(...steps.map((step) => step[of]))] as const)
      .toSorted(),
  );

/** Of a step of 500 versions and 500 revisions. */
const bounds: StepCost = { trips: 5, rowsRead: 15_000, rowsWritten: 2000 };

test('a step of a purge costs the same whatever the size of the space', { timeout: 180_000 }, async () => {
  const server = await ownPlatform();
  try {
    const organization = await server.makeOrganization();
    const [small, large] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
    plant(server, small, { pages: 1500, changeRequests: 600 });
    plant(server, large, { pages: 6000, changeRequests: 1800 });
    for (const { id } of [small, large]) deletedFor(server, id, 8);

    await passDay(server);

    const [few, many] = [costsOf(server, small.id), costsOf(server, large.id)];
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
    expect(count(many)).toBeGreaterThan(3 * count(few));
    for (const of of ['trips', 'rowsRead', 'rowsWritten'] as const) {
      // How many versions and revisions come together in a step of branches depends on where it begins.
      const { branches: ofFew = 0, ...smaller } = most(few, of);
      const { branches: ofMany = 0, ...larger } = most(many, of);
      expect([of, larger]).toEqual([of, smaller]);
      for (const rows of [ofFew, ofMany]) expect(rows).toBeLessThan(bounds[of]);
    }
  } finally {
    await server.remove();
  }
});
