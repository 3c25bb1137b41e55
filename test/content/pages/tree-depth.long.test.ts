import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Change, SpaceClient, TreePage } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

const prefixes = ['live', 'change request', 'revision'] as const;
type Prefix = (typeof prefixes)[number];

const widths = [10, 200];
/** Tolerance in rows read. */
const fewRows = 6;

const server = platform({ countsRows: true });
let space: SpaceClient;
let top = '';
let paths: Record<Prefix, { revision: string; content: string }>;
/** Rows read, by the number of pages at the third level. */
const costs = new Map<number, Record<string, number>>();

beforeAll(async () => {
  for (const width of widths) costs.set(width, await measure(width));
}, 120_000);

/**
 * Makes two top pages, one of them with two levels below it and `width` pages on the last level, and a group with a
 * page.
 */
async function insertTree(width: number): Promise<void> {
  space = getClient(server, await server.makeSpace());
  const createParentField = (parent: string | undefined) => (parent === undefined ? {} : { into: parent });
  const [first = ''] = await space.change([insertPage('Top'), insertPage('Other')]);
  const [middle] = await space.change([
    insertPage('Middle', createParentField(first)),
    insertPage('Leaf', createParentField(first)),
  ]);
  const [group] = await space.change([{ operation: 'insert_group', title: 'Group' }]);
  await space.change([insertPage('Grouped', createParentField(group)), { ...linkPage, ...createParentField(middle) }]);
  for (let start = 0; start < width; start += 50) {
    const count = Math.min(50, width - start);
    await space.change(
      Array.from({ length: count }, (_, index) => insertPage(`Deep ${start + index}`, createParentField(middle))),
    );
  }
  top = first;
}

const linkPage: Change = { operation: 'insert_link', title: 'Out', target: { kind: 'url', url: 'https://x.test/' } };

async function measure(width: number): Promise<Record<string, number>> {
  await insertTree(width);
  const { id } = await space.head();
  const branch = `/change-requests/${await space.open()}`;
  paths = {
    live: { revision: '/content', content: '/content' },
    'change request': { revision: `${branch}/content`, content: `${branch}/content` },
    revision: { revision: `/revisions/${id}`, content: `/revisions/${id}` },
  };
  const read = async (path: string) => (await space.call(path)).cost.read;
  return {
    'the top of the tree': await read('/content/pages?depth=0'),
    'two levels of the tree': await read('/content/pages?depth=1'),
    'two levels of a revision': await read('/content?depth=1'),
    'two levels of an older revision': await read(`/revisions/${id}/pages?depth=1`),
    'a page alone': await read(`/content/page/${top}?depth=0`),
    'a page with its children': await read(`/content/page/${top}?depth=1`),
  };
}

/** Removes the pages below a depth. */
const cut = (pages: TreePage[], depth: number): TreePage[] =>
  pages.map((page) =>
    page.pages === undefined ? page : { ...page, pages: depth === 0 ? [] : cut(page.pages, depth - 1) },
  );

describe.each(prefixes)('%s', (prefix) => {
  const readTree = async (path: string) => (await space.callJson<{ pages: TreePage[] }>(path)).pages;

  test.each([0, 1, 2, 32])('a tree of depth %i equals the whole tree without deeper pages', async (depth) => {
    const { revision, content } = paths[prefix];
    const whole = await readTree(`${content}/pages`);

    expect(whole[0]?.pages?.[0]?.pages).toHaveLength(201);
    expect(await readTree(`${content}/pages?depth=${depth}`)).toEqual(cut(whole, depth));
    expect(await readTree(`${revision}?depth=${depth}`)).toEqual(cut(whole, depth));
  });

  test.each([0, 1, 2])('a page of depth %i equals the whole page without deeper pages', async (depth) => {
    for (const path of [`page/${top}`, 'path/top']) {
      const whole = await space.callJson<TreePage>(`${paths[prefix].content}/${path}`);
      const page = await space.callJson<TreePage>(`${paths[prefix].content}/${path}?depth=${depth}`);

      expect(whole.pages).toHaveLength(2);
      expect([page]).toEqual(cut([whole], depth));
    }
  });

  test.each(['-1', '33', '1.5', 'x', ''])('rejects a depth of %j', async (depth) => {
    const { revision, content } = paths[prefix];
    for (const path of [revision, `${content}/pages`, `${content}/page/${top}`, `${content}/path/top`])
      expect((await space.call(`${path}?depth=${depth}`)).status).toBe(400);
  });
});

test('a tree of any depth returns pages of a change request that are not connected to the root at the end', async () => {
  const [parent = '', child = ''] = await space.change([insertPage('Parent'), insertPage('Child')]);
  const branch = await space.open();
  await space.change([{ operation: 'update_page', page: child, into: parent }], branch);
  await space.change([{ operation: 'delete_page', page: parent }]);
  await space.update(branch);
  const readTree = async (query: string) =>
    (await space.callJson<{ pages: TreePage[] }>(`/change-requests/${branch}/content/pages${query}`)).pages;
  const whole = await readTree('');

  expect(whole.at(-1)).toMatchObject({ id: child });
  for (const depth of [0, 1, 32]) expect(await readTree(`?depth=${depth}`)).toEqual(cut(whole, depth));
});

test('reads only the rows of the requested levels', () => {
  const [few, many] = widths.map((width) => costs.get(width));

  expect(Object.keys(few ?? {})).toHaveLength(6);
  for (const [read, rows = 0] of Object.entries(few ?? {}))
    expect(Math.abs((many?.[read] ?? Number.NaN) - rows), `${read}: ${rows} rows`).toBeLessThanOrEqual(fewRows);
});
