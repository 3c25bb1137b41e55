import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Change, TreePage } from '../space-client.ts';
import { flatten, listCreatedPages } from '../space-client.ts';
import type { Branch } from './reference.ts';
import { findFreeSlug, getChildren, isTaken, lineCount, listDescendants } from './reference.ts';
import type { World } from './world.ts';
import { getText } from './world.ts';

const actions = [
  'insert',
  'nest',
  'write',
  'title',
  'slug',
  'hide',
  'move',
  'delete',
  'open',
  'update',
  'merge',
] as const;
const words = ['alpha', 'beta', 'gamma'];
const maxRequests = 3;

/** One step of a program. Its numbers are indexes, modulo the number of items that exist when the step runs. */
export interface Step {
  action: (typeof actions)[number];
  where: number;
  page: number;
  other: number;
  word: number;
  at: number | null;
}

const often = {
  insert: 3,
  nest: 1,
  write: 9,
  title: 3,
  slug: 3,
  hide: 1,
  move: 4,
  delete: 1,
  open: 2,
  update: 3,
  merge: 4,
};

const getStep = (names: readonly Step['action'][]): fc.Arbitrary<Step> =>
  fc.record({
    action: fc.oneof(...names.map((name) => ({ weight: often[name], arbitrary: fc.constant(name) }))),
    where: fc.nat({ max: maxRequests }),
    page: fc.nat({ max: 30 }),
    other: fc.nat({ max: 30 }),
    word: fc.nat({ max: 5 }),
    at: fc.option(fc.nat({ max: 5 })),
  });

export const programs = fc.array(getStep(actions), { minLength: 12, maxLength: 25 });
/** Generates steps that edit one branch. */
export const createEditArbitrary = (most: number) =>
  fc.array(getStep(['insert', 'nest', 'write', 'title', 'slug', 'hide', 'move', 'delete']), {
    minLength: 1,
    maxLength: most,
  });

export interface Target {
  pages: Branch;
  branch: string | undefined;
}

const pick = <Item>(items: Item[], index: number): Item | undefined => items[index % Math.max(items.length, 1)];
const getLines = (key: string, version = 0) =>
  Array.from({ length: lineCount }, (_, line) => `${key} line ${line} v${version}`);

export async function runStep(world: World, step: Step): Promise<void> {
  const request = step.where === 0 ? undefined : pick(world.requests, step.where);
  if (step.action === 'open') {
    if (world.requests.length < maxRequests) await world.open();
  } else if (step.action === 'merge') {
    if (request !== undefined) await world.merge(request);
  } else if (step.action === 'update') {
    if (request !== undefined) await world.update(request);
  } else await editStep(world, { pages: request?.head ?? world.main.pages, branch: request?.id }, step);
}

/** Applies an edit to both the space and the model, and compares the results. */
export async function editStep(world: World, target: Target, step: Step): Promise<void> {
  if (step.action === 'insert' || step.action === 'nest') return insert(world, target, step);
  const key = pick([...target.pages.keys()].sort(), step.page);
  const page = key === undefined ? undefined : target.pages.get(key);
  if (key === undefined || page === undefined) return;
  const send = (change: object) =>
    world.space.edit([{ operation: 'update_page', page: world.getId(key), ...change }], target.branch);
  const word = words[step.word % words.length] ?? '';
  if (step.action === 'move') return move(world, target, { ...step, key });
  if (step.action === 'delete') {
    const gone = [key, ...listDescendants(target.pages, key)];
    expect((await world.space.edit([{ operation: 'delete_page', page: world.getId(key) }], target.branch)).status).toBe(
      200,
    );
    for (const each of gone) target.pages.delete(each);
  } else if (step.action === 'slug') {
    const taken = isTaken(target.pages, word, { parent: page.parent, but: key });
    expect((await send({ slug: word })).status).toBe(taken ? 409 : 200);
    if (!taken) page.slug = word;
  } else {
    if (step.action === 'title') page.title = `Title ${word}`;
    if (step.action === 'hide') page.hidden = !page.hidden;
    const line = step.other % lineCount;
    if (step.action === 'write') page.lines = page.lines.with(line, `${key} line ${line} v${step.word % 3}`);
    const { title, hidden } = page;
    const document = step.action === 'write' ? { document: { markdown: getText(page.lines) } } : {};
    expect((await send({ title, hidden, ...document })).status).toBe(200);
  }
  await world.check(target.pages, target.branch);
}

async function insert(world: World, { pages, branch }: Target, step: Step): Promise<void> {
  const parent = pick(['', ...[...pages.keys()].sort()], step.other) ?? '';
  const word = words[step.word % words.length] ?? '';
  const siblings = getChildren(pages, parent);
  const at = step.at === null ? undefined : step.at % (siblings.length + 1);
  const place = { into: parent === '' ? null : world.getId(parent), ...(at === undefined ? {} : { at }) };
  const createDocument = (name: string) => ({ document: { markdown: getText(getLines(name)) } });
  const changes: Change[] = [
    { operation: 'insert_page', title: word, ref: 'new', ...place, ...createDocument('outer') },
  ];
  if (step.action === 'nest')
    changes.push({ operation: 'insert_page', title: word, into: 'new', ...createDocument('inner') });
  const response = await world.space.edit(changes, branch);
  expect(response.status).toBe(200);
  const [outer = '', inner] = listCreatedPages(response.body.changes).map((id) => world.getName(id));
  const blank = { title: word, hidden: false };
  pages.set(outer, {
    ...blank,
    slug: findFreeSlug(pages, word, { parent, but: outer }),
    parent,
    lines: getLines('outer'),
  });
  if (inner !== undefined) pages.set(inner, { ...blank, slug: word, parent: outer, lines: getLines('inner') });
  expectPosition(await world.check(pages, branch), world.getId(outer), at ?? siblings.length);
}

async function move(
  world: World,
  { pages, branch }: Target,
  { key, other, at: requestedIndex }: Step & { key: string },
): Promise<void> {
  const page = pages.get(key);
  if (page === undefined) return;
  const parent = pick(['', ...[...pages.keys()].sort()], other) ?? '';
  const siblings = getChildren(pages, parent).filter((each) => each !== key);
  const at = requestedIndex === null ? undefined : requestedIndex % (siblings.length + 1);
  const change = { operation: 'update_page', page: world.getId(key), into: parent === '' ? null : world.getId(parent) };
  const response = await world.space.edit([{ ...change, ...(at === undefined ? {} : { at }) }], branch);
  const isBelow = parent === key || listDescendants(pages, key).includes(parent);
  expect(response.status).toBe(isBelow ? 400 : 200);
  const moved = page.parent !== parent;
  if (!isBelow && moved) {
    page.slug = findFreeSlug(pages, page.slug, { parent, but: key });
    page.parent = parent;
  }
  const tree = await world.check(pages, branch);
  if (!isBelow && (moved || at !== undefined)) expectPosition(tree, world.getId(key), at ?? siblings.length);
}

function expectPosition(tree: TreePage[], id: string, index: number): void {
  const siblings = [tree, ...flatten(tree).map(({ pages = [] }) => pages)].find((pages) =>
    pages.some((page) => page.id === id),
  );
  expect(siblings?.findIndex((page) => page.id === id)).toBe(index);
}
