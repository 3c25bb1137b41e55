import fc from 'fast-check';
import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { holdsSlowly, isOfAll, seed } from '../support/random.ts';
import { drawnWorld, getWorld } from './draw.ts';
import type { InsertedWorld } from './insert-world.ts';
import { insertWorld } from './insert-world.ts';
import type { Content, Person } from './reference.ts';
import { getEffectiveRole, getSpaceRights } from './reference.ts';

const worlds = 30;
const fewestWorlds = 10;
const fewestSpaces = isOfAll ? 4 : 1;

const server = platform();

/** Ensures that each world has a deleted space to restore. */
const deleteSomeSpaces = <Drawn extends { spaces: { deleted: boolean }[] }>(drawn: Drawn): Drawn => ({
  ...drawn,
  spaces: drawn.spaces.map((space, index) => (index === 0 ? { ...space, deleted: true } : space)),
});

const canManage = (world: InsertedWorld, person: Person, space: Content) =>
  ['create', 'admin'].includes(getEffectiveRole(world, person, space) ?? '');

/** Returns the names of a person's rights on a space. */
async function readRights(world: InsertedWorld, person: Person, { id }: Content): Promise<string[]> {
  const response = await server.request(`/v1/spaces/${id}`, { token: world.tokens.get(person.id) });
  if (response.status !== 200) return [];
  const { permissions } = (await response.json()) as { permissions: Record<string, boolean> };
  return Object.keys(permissions).filter((right) => permissions[right]);
}

test(`no user gains a right by a restore, and the restoring user keeps their own (seed ${seed})`, async () => {
  let restored = 0;
  const gainsNothing = fc.asyncProperty(drawnWorld, fc.nat(), async (drawn, pick) => {
    const world = await insertWorld(server.dataDir, getWorld(deleteSomeSpaces(drawn)));
    for (const space of world.contents.filter(({ kind, deleted }) => kind === 'space' && deleted)) {
      const able = world.people.filter((person) => canManage(world, person, space));
      const [admin, ...others] = able;
      const restorer = others[pick % Math.max(others.length, 1)] ?? admin;
      const token = world.tokens.get(restorer?.id ?? '');
      for (const person of world.people.filter((each) => !able.includes(each))) {
        const response = await server.request(`/v1/spaces/${space.id}/restore`, {
          token: world.tokens.get(person.id),
          method: 'POST',
        });
        expect([person.label, response.status]).toEqual([person.label, 404]);
      }

      const restoreResponse = await server.request(`/v1/spaces/${space.id}/restore`, { token, method: 'POST' });

      expect(restoreResponse.status).toBe(200);
      for (const person of world.people) {
        const before = Object.entries(getSpaceRights(world, person, { ...space, deleted: false }) ?? {});
        const had = before.flatMap(([right, value]) => (value ? [right] : []));
        const has = await readRights(world, person, space);
        expect([person.label, has.filter((right) => !had.includes(right))]).toEqual([person.label, []]);
        if (person === restorer) expect(has.sort()).toEqual(had.sort());
      }
      restored += 1;
    }
  });
  await holdsSlowly(gainsNothing, { numRuns: worlds, fewest: fewestWorlds, milliseconds: 100_000 });
  expect(restored).toBeGreaterThanOrEqual(fewestSpaces);
}, 150_000);
