import { foreverSeq } from '@octavo/db';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import type { Step } from './steps.ts';
import { createEditArbitrary, editStep, programs, runStep } from './steps.ts';
import { World } from './world.ts';

const testLimitMilliseconds = 120_000;
const milliseconds = 90_000;

let shared: Promise<TestOrganization> | undefined;

async function makeWorld(seedPages: Step[] = firstPages): Promise<World> {
  const server = platform();
  shared ??= server.makeOrganization();
  const organization = await shared;
  const world = new World(getClient(server, await server.makeSpace({ organization })), organization.id);
  for (const step of seedPages) await editStep(world, { pages: world.main.pages, branch: undefined }, step);
  return world;
}

const createStep = (action: Step['action'], over: Partial<Step> = {}): Step => ({
  action,
  where: 0,
  page: 0,
  other: 0,
  word: 0,
  at: null,
  ...over,
});
const firstPages = [createStep('nest'), createStep('insert', { word: 1 }), createStep('nest', { word: 2 })];

/** Describes a tree by the model's page keys, so that trees of two spaces can be compared. */
const describeTree = (world: World, pages: TreePage[], orderOf: (siblings: TreePage[]) => TreePage[]): unknown =>
  orderOf(pages).map(({ id, title, slug, hidden, documentId, pages: below = [] }) => ({
    key: world.keys.get(id),
    ...{ title, slug, hidden, documentId },
    pages: describeTree(world, below, orderOf),
  }));

/**
 * Returns the pages of main. The API orders pages with equal positions by ID. IDs differ between spaces, so this orders
 * them by model key.
 */
async function readLiveTree(world: World): Promise<unknown> {
  const current = query<{ id: string; position: string }>(
    "SELECT id, position FROM versions WHERE branch = ? AND kind = 'page' AND until = ?",
    world.space.space,
    foreverSeq,
  );
  const positions = new Map(current.map(({ id, position }) => [id, position]));
  const orderKey = ({ id }: TreePage) => `${positions.get(id)} ${world.keys.get(id)}`;
  const getOrder = (siblings: TreePage[]) => {
    const positionsBefore = siblings.map(({ id }) => positions.get(id) ?? '');
    expect(positionsBefore).toEqual(positionsBefore.toSorted());
    return siblings.toSorted((one, other) => (orderKey(one) < orderKey(other) ? -1 : 1));
  };
  return describeTree(world, await world.space.pages(), getOrder);
}

test(
  'any sequence of edits, change requests, updates and merges matches the model and keeps every revision',
  async () => {
    const property = fc.asyncProperty(programs, async (program) => {
      const world = await makeWorld();
      await world.open();
      await world.open();
      for (const each of program) await runStep(world, each);
      for (const request of [...world.requests]) await world.merge(request);
      await world.checkHistory();
    });
    await holdsSlowly(property, { numRuns: 15, fewest: 5, milliseconds });
  },
  testLimitMilliseconds,
);

/** Makes a space with concurrent edits in a change request and in main. */
async function createDivergedBranches(
  mine: Step[],
  theirs: Step[],
): Promise<{ world: World; space: SpaceClient; branch: string }> {
  const world = await makeWorld();
  const request = await world.open();
  for (const each of mine) await editStep(world, { pages: request.head, branch: request.id }, each);
  for (const each of theirs) await editStep(world, { pages: world.main.pages, branch: undefined }, each);
  return { world, space: world.space, branch: request.id };
}

test(
  'merging is deterministic, and gives the same result after an update',
  async () => {
    const property = fc.asyncProperty(createEditArbitrary(6), createEditArbitrary(4), async (mine, theirs) => {
      const [one, again, updated] = [
        await createDivergedBranches(mine, theirs),
        await createDivergedBranches(mine, theirs),
        await createDivergedBranches(mine, theirs),
      ];
      const getConflicts = ({ world }: typeof one, conflicts: { id: string; field: string }[] = []) =>
        conflicts.map(({ id, field }) => `${world.keys.get(id)} ${field}`).sort();
      const [first, second] = [await one.space.merge(one.branch), await again.space.merge(again.branch)];
      const pulled = await updated.space.update(updated.branch);

      expect(second.body.result).toBe(first.body.result);
      expect(getConflicts(again, second.body.conflicts)).toEqual(getConflicts(one, first.body.conflicts));
      expect(getConflicts(updated, pulled.body.conflicts)).toEqual(getConflicts(one, first.body.conflicts));
      expect(await readLiveTree(again.world)).toEqual(await readLiveTree(one.world));
      if (first.body.result !== 'merge') return;
      expect((await updated.space.merge(updated.branch)).body.result).toBe('merge');
      expect(await readLiveTree(updated.world)).toEqual(await readLiveTree(one.world));
    });
    await holdsSlowly(property, { numRuns: 6, fewest: 2, milliseconds });
  },
  testLimitMilliseconds,
);

test(
  'change requests that edit different pages give the same result in either merge order',
  async () => {
    /**
     * In each program, `page` and `other` select the program's own root page or a page that it inserted, so it edits
     * only its own pages.
     */
    const property = fc.asyncProperty(createEditArbitrary(5), createEditArbitrary(5), async (left, right) => {
      const trees = [];
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const world = await makeWorld([createStep('insert'), createStep('insert', { word: 1 })]);
        const requests = [await world.open(), await world.open()];
        for (const [index, steps] of [left, right].entries()) {
          const request = requests[index];
          const key = [...world.main.pages.keys()][index] ?? '';
          for (const each of steps) {
            if (request === undefined || each.action === 'delete' || each.action === 'move' || each.action === 'slug')
              continue;
            const keys = [...request.head.keys()].sort();
            const own = keys.indexOf(key);
            await editStep(world, { pages: request.head, branch: request.id }, { ...each, page: own, other: own + 1 });
          }
        }
        for (const index of order) {
          const request = requests[index];
          if (request !== undefined) await world.merge(request);
        }
        expect(world.requests).toEqual([]);
        trees.push(await readLiveTree(world));
      }
      expect(trees[1]).toEqual(trees[0]);
    });
    await holdsSlowly(property, { numRuns: 5, fewest: 2, milliseconds });
  },
  testLimitMilliseconds,
);
