import fc from 'fast-check';
import { test } from 'vitest';
import { platform } from '../support/platform.ts';
import { holdsSlowly, seed } from '../support/random.ts';
import { expectAccessibleUsers, expectCollections, expectSpaces } from './compare.ts';
import { expectLists } from './compare-lists.ts';
import { drawnWorld, getWorld } from './draw.ts';
import { insertWorld } from './insert-world.ts';
import type { Person } from './reference.ts';

const worlds = 20;
const fewestWorlds = 10;

const server = platform();

test(`in random organizations, all users have the rights that the specification gives them (seed ${seed})`, async () => {
  const isAsSpecified = fc.asyncProperty(drawnWorld, async (drawn) => {
    const world = await insertWorld(server.dataDir, getWorld(drawn));
    for (const person of world.people) {
      await expectSpaces(server, world, person);
      await expectCollections(server, world, person);
      await expectLists(server, world, person);
    }
    await expectAccessibleUsers(server, world, world.people[0] as Person);
  });
  await holdsSlowly(isAsSpecified, { numRuns: worlds, fewest: fewestWorlds, milliseconds: 150_000 });
}, 180_000);
