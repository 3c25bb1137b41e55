import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';
import { resolve } from './clashing-texts.ts';

let space: SpaceClient;

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

/** Makes pages nested one below the other. Returns their IDs from the top down. */
const insertChain = (title: string, length: number, into?: string) => space.change(getChain(title, length, into));

const getChain = (title: string, length: number, into?: string) =>
  Array.from({ length }, (_, index) =>
    insertPage(`${title} ${index}`, {
      ref: `p${index}`,
      ...(index > 0 ? { into: `p${index - 1}` } : into !== undefined && { into }),
    }),
  );

const move = (page: string | undefined, into: string | undefined | null) => ({ operation: 'update_page', page, into });
const remove = (page: string | undefined) => ({ operation: 'delete_page', page });

async function findMaximumDepth(): Promise<number> {
  const paths = flatten(await space.pages()).map(({ path = '' }) => path.split('/').length);
  return Math.max(...paths);
}

test('allows 32 levels, including the descendants of a moved page', async () => {
  const [one, other] = [await insertChain('One', 32), await insertChain('Other', 20)];

  expect((await space.edit([insertPage('Too deep', { into: one[31] })])).status).toBe(400);
  expect((await space.edit([move(other[0], one[12])])).status).toBe(400);
  expect((await space.edit([move(other[0], one[11])])).status).toBe(200);
  const deepest = flatten(await space.pages()).find(({ id }) => id === other[19]);
  expect(deepest?.path?.split('/')).toHaveLength(32);
  expect((await space.call(`/content/path/${deepest?.path}`)).status).toBe(200);
  expect((await space.edit([move(other[0], null)])).status).toBe(200);
});

test('a merge conflicts if it moves pages below a page whose subtree main made too deep', async () => {
  const [target, moved] = [await insertChain('Target', 20), await insertChain('Moved', 1)];
  const branch = await space.open();
  await space.change([move(moved[0], target[19])], branch);
  const below = await insertChain('Below', 20, moved[0]);

  const { body } = await space.merge(branch);
  expect(body.conflicts).toMatchObject([{ id: moved[0], field: 'parent' }]);
  await space.change([remove(below[5])]);
  expect((await space.merge(branch)).body.result).toBe('merge');
  const last = flatten(await space.pages()).find(({ id }) => id === below[4]);
  expect(last?.path?.split('/')).toHaveLength(26);
});

test('pages that the merge itself deletes do not count as levels', async () => {
  const [target, moved] = [await insertChain('Left', 20), await insertChain('Right', 20)];
  const branch = await space.open();
  await space.change([move(moved[10], null), remove(moved[5]), move(moved[0], target[19])], branch);

  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await findMaximumDepth()).toBeLessThanOrEqual(32);
});

test('change requests that each add levels cannot exceed 32 together, in any merge order', async () => {
  const chains = await Promise.all(Array.from({ length: 6 }, (_, index) => insertChain(`Stack ${index}`, 12)));
  const branches: string[] = [];
  for (const [index, pages] of chains.slice(1).entries()) {
    const branch = await space.open();
    await space.change([move(pages[0], chains[index]?.[11])], branch);
    branches.push(branch);
  }
  const results: (string | undefined)[] = [];
  for (const branch of branches.reverse()) results.push((await space.merge(branch)).body.result);

  expect(results).toContain('merge');
  expect(results).toContain('conflicts');
  expect(await findMaximumDepth()).toBeLessThanOrEqual(32);
});

describe('reverting a page', () => {
  test('is rejected if its descendants would be too deep', async () => {
    const target = await insertChain('Deep', 31);
    const [page] = await space.change([insertPage('Back', { into: target[30] })]);
    const { id: revision } = await space.head();
    await space.change([move(page, null)]);
    const below = await insertChain('Grown', 5, page);
    const revert = { operation: 'revert_page', page: page ?? '', revision };

    expect((await space.edit([revert])).status).toBe(400);
    expect((await space.edit([remove(below[0]), revert])).status).toBe(200);
    expect(await findMaximumDepth()).toBe(32);
  });
});

describe('one batch', () => {
  test('can delete descendants before it moves the page down', async () => {
    const [target, moved] = [await insertChain('A', 25), await insertChain('B', 10)];

    expect((await space.edit([move(moved[0], target[24])])).status).toBe(400);
    expect((await space.edit([move(moved[3], null), move(moved[0], target[24])])).status).toBe(200);
    expect((await space.edit([move(moved[0], null), move(moved[3], moved[2])])).status).toBe(200);
    expect((await space.edit([remove(moved[3]), move(moved[0], target[24])])).status).toBe(200);
  });

  test('counts descendants even if it moves a page away and back', async () => {
    const [target, moved] = [await insertChain('C', 25), await insertChain('D', 10)];

    const batch = [move(moved[5], null), move(moved[0], target[24]), move(moved[5], moved[4])];
    expect((await space.edit(batch)).status).toBe(400);
    expect((await space.edit([...batch, move(moved[5], null)])).status).toBe(200);
  });

  test('deletes pages that were moved below a deleted page, with their descendants', async () => {
    const [one, other] = [await insertChain('E', 2), await insertChain('F', 3)];

    expect((await space.edit([move(other[0], one[1]), remove(one[0])])).status).toBe(200);
    const ids = flatten(await space.pages()).map(({ id }) => id);
    for (const id of [...one, ...other]) expect(ids).not.toContain(id);
  });
});

test('reads descendants only if a page moves to another parent', async () => {
  const server = platform();
  const wide = getClient(server, await server.makeSpace());
  const [top = '', other = ''] = await wide.change([insertPage('Top'), insertPage('Other')]);
  const { id: revision } = await wide.head();
  for (let batch = 0; batch < 6; batch += 1) {
    await wide.change(Array.from({ length: 50 }, (_, index) => insertPage(`${batch}.${index}`, { into: top })));
  }
  const read = async (...changes: object[]) => {
    const { status, cost } = await wide.edit(changes as Parameters<SpaceClient['edit']>[0]);
    expect(status).toBe(200);
    return cost.read;
  };
  const title = await read({ operation: 'update_page', page: top, title: 'Titled' });

  expect(await read(move(top, null))).toBeLessThan(title + 200);
  expect(await read({ operation: 'revert_page', page: top, revision })).toBeLessThan(title + 200);
  expect(await read(move(top, null), remove(other))).toBeLessThan(title + 200);
  const [into] = await wide.change([insertPage('Into')]);
  expect(await read(move(top, into))).toBeLessThan(8 * 300);
});

test.each([
  ['mine', 'above-0/page-0/page-1/page-2/page-3'],
  ['live', 'page-0/page-1/page-2/page-3'],
])('a conflict of two moves that are too deep together is resolved by keeping %s', async (keep, path) => {
  const server = platform();
  const deep = getClient(server, await server.makeSpace());
  const [long, pages, above] = [
    await deep.change(getChain('Long', 28)),
    await deep.change(getChain('Page', 4)),
    await deep.change(getChain('Above', 1)),
  ];
  const branch = await deep.open();
  await deep.change([move(pages[0], above[0])], branch);
  await deep.change([move(above[0], long[27])]);
  expect((await deep.update(branch)).body.conflicts).toMatchObject([{ id: pages[0], field: 'parent' }]);
  await deep.change([resolve(pages[0] ?? '', keep, 'parent')], branch);

  expect((await deep.merge(branch)).body.result).toBe('merge');
  expect((await deep.page(pages[3] ?? '')).path).toBe(path);
});
