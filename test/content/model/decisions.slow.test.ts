import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import type { Conflict } from '../space-client.ts';
import { flatten, getClient } from '../space-client.ts';
import type { Branch, ModelPage } from './reference.ts';
import { getCopy, mergeLines } from './reference.ts';
import type { Step } from './steps.ts';
import { createEditArbitrary, editStep } from './steps.ts';
import { getText, World } from './world.ts';

const testLimitMilliseconds = 240_000;
/** Exceeds the possible number of pages in conflict. */
const maxRounds = 40;

/** Which side is kept in each conflict, by page key and field. */
type Decisions = Map<string, 'mine' | 'live'>;

interface History {
  base: Branch;
  main: Branch;
  mine: Branch;
  decisions: Decisions;
}

const blank = { where: 0, other: 0, word: 0, at: null };
const firstSteps: Step[] = [
  { ...blank, action: 'nest', page: 0 },
  { ...blank, action: 'insert', page: 0, word: 1 },
  { ...blank, action: 'nest', page: 0, word: 2 },
];

async function makeWorld(): Promise<World> {
  const server = platform();
  const space = await server.makeSpace();
  const world = new World(getClient(server, space), space.organization);
  for (const step of firstSteps) await editStep(world, { pages: world.main.pages, branch: undefined }, step);
  return world;
}

const editMain = async (world: World, steps: Step[]) => {
  for (const step of steps) await editStep(world, { pages: world.main.pages, branch: undefined }, step);
};

/** Resolves the remaining conflicts one by one until the change request merges. */
async function decideAll(world: World, branch: string, keeps: boolean[]): Promise<Decisions> {
  const decisions: Decisions = new Map();
  for (let round = 0; round < maxRounds; round += 1) {
    const merged = await world.space.merge(branch);
    if (merged.body.result === 'merge') return decisions;
    await world.space.update(branch);
    const [conflict] = await world.space.undecided(branch);
    expect(conflict, JSON.stringify(merged.body)).toBeDefined();
    if (conflict !== undefined)
      await decide(world, { branch, conflict, isMine: keeps[round % keeps.length] === true }, decisions);
  }
  throw new Error(`Conflicts do not end: ${JSON.stringify(await world.space.undecided(branch))}`);
}

async function decide(
  world: World,
  { branch, conflict, isMine }: { branch: string; conflict: Conflict; isMine: boolean },
  decisions: Decisions,
): Promise<void> {
  const { kind, id, field } = conflict;
  for (const keep of isMine ? (['mine', 'live'] as const) : (['live', 'mine'] as const)) {
    const { status } = await world.space.edit([{ operation: 'resolve', kind, id, field, keep }], branch);
    if (status === 200) {
      decisions.set(`${world.keys.get(id)} ${field}`, keep);
      return;
    }
    expect(status).toBe(409);
  }
  throw new Error(`Neither side can be kept: ${JSON.stringify(conflict)}`);
}

interface PageState {
  title: string;
  parent: string;
  markdown: string;
}

async function readLivePages(world: World): Promise<Map<string, PageState>> {
  const found = new Map<string, PageState>();
  const pages = await world.space.pages();
  const parents = new Map(
    flatten(pages).flatMap((page) => (page.pages ?? []).map(({ id }): [string, string] => [id, page.id])),
  );
  for (const { id } of flatten(pages)) {
    const { title, markdown = '' } = await world.space.page(id);
    found.set(world.keys.get(id) ?? id, { title, parent: world.keys.get(parents.get(id) ?? '') ?? '', markdown });
  }
  return found;
}

const isDecided = ({ decisions }: History, field: string, keep: 'mine' | 'live') =>
  [...decisions].some(([what, side]) => what.endsWith(` ${field}`) && side === keep);

/**
 * Checks that a page of main exists, unless a decision deleted it, or the change request deleted it and main did not
 * change it.
 */
function checkPresence(history: History, key: string, isThere: boolean): void {
  const { base, main, mine, decisions } = history;
  if (isThere) return;
  const unchanged = JSON.stringify(base.get(key)) === JSON.stringify(main.get(key));
  const isDeletedHere = base.has(key) && !mine.has(key);
  const explained =
    (isDeletedHere && (unchanged || decisions.get(`${key} node`) === 'mine')) || isDecided(history, 'pages', 'mine');
  expect({ key, explained }).toEqual({ key, explained: true });
}

/** Returns the expected value of a field: that of the side that changed it, or of the kept side if both changed it. */
function getExpected<Field extends 'title' | 'parent'>(
  { base, main, mine, decisions }: History,
  key: string,
  [field, name]: [Field, string],
): string | undefined {
  const [was, ours, theirs] = [base.get(key)?.[field], main.get(key)?.[field], mine.get(key)?.[field]];
  if (ours === undefined) return theirs;
  if (theirs === undefined || theirs === was || theirs === ours) return ours;
  if (was === ours) return theirs;
  return decisions.get(`${key} ${name}`) === 'mine' ? theirs : ours;
}

function getLines({ base, main, mine, decisions }: History, key: string): readonly string[] {
  const [was, ours, theirs] = [base.get(key), main.get(key), mine.get(key)];
  if (ours === undefined || was === undefined || theirs === undefined) return (ours ?? theirs)?.lines ?? [];
  const isMine = decisions.get(`${key} document`) === 'mine';
  return isMine ? mergeLines(was.lines, ours.lines, theirs.lines).lines : mergePages(was, theirs, ours);
}

/** Merges the lines, and uses those of main in a conflict. */
const mergePages = (was: ModelPage, theirs: ModelPage, ours: ModelPage): readonly string[] =>
  mergeLines(was.lines, theirs.lines, ours.lines).lines;

function checkHistory(history: History, live: Map<string, PageState>): void {
  const placesWereDecided = ['place', 'parent', 'pages', 'node'].some(
    (field) => isDecided(history, field, 'mine') || isDecided(history, field, 'live'),
  );
  for (const key of history.main.keys()) checkPresence(history, key, live.has(key));
  for (const [key, page] of live) {
    // Main deleted this page and the change request restored it, so it has no content of main that could be lost.
    if (!history.main.has(key)) continue;
    expect({ key, title: page.title }).toEqual({ key, title: getExpected(history, key, ['title', 'title']) });
    expect({ key, text: page.markdown }).toEqual({ key, text: getText(getLines(history, key)) });
    if (!placesWereDecided)
      expect({ key, parent: page.parent }).toEqual({ key, parent: getExpected(history, key, ['parent', 'place']) });
  }
}

test(
  'live changes are lost only by an explicit resolution, and every conflict can be resolved',
  async () => {
    const property = fc.asyncProperty(
      createEditArbitrary(6),
      createEditArbitrary(5),
      createEditArbitrary(3),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      async (mine, theirs, later, keeps) => {
        const world = await makeWorld();
        const { id: branch, head, base } = await world.open();
        for (const step of mine) await editStep(world, { pages: head, branch }, step);
        const incoming = getCopy(head);
        await editMain(world, theirs);
        await world.space.update(branch);
        await editMain(world, later);
        const decisions = await decideAll(world, branch, keeps);
        checkHistory({ base, main: world.main.pages, mine: incoming, decisions }, await readLivePages(world));
      },
    );
    await holdsSlowly(property, { numRuns: 25, fewest: 3, milliseconds: 60_000 });
  },
  testLimitMilliseconds,
);
