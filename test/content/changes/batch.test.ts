import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';

let space: SpaceClient;

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

async function makeSpaceClient(): Promise<SpaceClient> {
  const server = platform();
  return getClient(server, await server.makeSpace());
}

const getTitles = (pages: TreePage[]) => pages.map(({ title }) => title);

/** Inserts pages at the end of the root. Returns a lookup from title to page ID. */
async function seed(client: SpaceClient, ...names: string[]): Promise<(name: string) => string> {
  const ids = await client.change(names.map((name) => insertPage(name)));
  return (name) => ids[names.indexOf(name)] ?? '';
}

describe('a batch is applied completely or not at all', () => {
  test('rejects the whole batch and names the entry that cannot be applied', async () => {
    const before = await space.head();
    const response = await space.edit([
      insertPage('One'),
      { operation: 'delete_page', page: 'pg_unknown' },
      insertPage('Three'),
    ]);

    expect(response.status).toBe(404);
    expect(response.body.error.issues).toMatchObject([{ path: 'body.changes.1' }]);
    expect(await space.head()).toEqual(before);
  });

  test('rejects the whole batch and names the entry that does not match the schema', async () => {
    const before = await space.head();
    const response = await space.edit([insertPage('One'), { operation: 'insert_page', title: 'No document' }]);

    expect(response.status).toBe(400);
    expect(response.body.error.issues?.[0]?.path).toMatch(/^body\.changes\.1\b/);
    expect(await space.head()).toEqual(before);
  });

  test('accepts 50 changes and rejects 51', async () => {
    const client = await makeSpaceClient();
    const many = Array.from({ length: 51 }, (_, index) => insertPage(`Page ${index}`));

    expect((await client.edit(many)).status).toBe(400);
    expect((await client.edit(many.slice(1))).status).toBe(200);
    expect(getTitles(await client.pages())).toEqual(many.slice(1).map(({ title }) => title));
  });

  test('later changes of a batch see the effects of earlier ones', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'Old');
    await client.change([
      { operation: 'update_page', page: page('Old'), slug: 'away' },
      insertPage('New', { slug: 'old' }),
      { operation: 'update_page', page: page('Old'), title: 'Moved' },
    ]);

    expect((await client.pages()).map(({ title, slug }) => [title, slug])).toEqual([
      ['Moved', 'away'],
      ['New', 'old'],
    ]);
  });

  test('a page inserted and deleted in the same batch never exists', async () => {
    const client = await makeSpaceClient();
    const response = await client.edit([
      insertPage('Brief', { ref: 'b' }),
      insertPage('Stays'),
      { operation: 'delete_page', page: 'b' },
    ]);

    expect(response.body.changes).toHaveLength(1);
    expect(getTitles(await client.pages())).toEqual(['Stays']);
  });
});

describe('references', () => {
  test('a reference can be the parent of a new page, or name a page to edit or delete', async () => {
    const client = await makeSpaceClient();
    await client.change([
      insertPage('Parent', { ref: 'p' }),
      insertPage('Child', { into: 'p', ref: 'c' }),
      insertPage('Grandchild', { into: 'c' }),
      { operation: 'update_page', page: 'c', title: 'Renamed' },
    ]);

    expect(flatten(await client.pages()).map(({ path }) => path)).toEqual([
      'parent',
      'parent/child',
      'parent/child/grandchild',
    ]);
  });

  test('rejects duplicate and unknown references', async () => {
    const twice = await space.edit([insertPage('A', { ref: 'x' }), insertPage('B', { ref: 'x' })]);
    const nothing = await space.edit([insertPage('A', { into: 'x' })]);

    expect(twice.body.error.issues).toMatchObject([{ path: 'body.changes.1.ref' }]);
    expect(nothing.body.error.issues).toMatchObject([{ path: 'body.changes.0.into' }]);
    expect([twice.status, nothing.status]).toEqual([400, 400]);
  });

  test('a reference is valid only in its own batch', async () => {
    await space.change([insertPage('Named', { ref: 'lasting' })]);

    expect((await space.edit([{ operation: 'delete_page', page: 'lasting' }])).status).toBe(404);
  });
});

describe('positions', () => {
  test('numbers positions from 0 among the siblings', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'B', 'D');
    await client.change([insertPage('A', { at: 0 }), insertPage('C', { at: 2 }), insertPage('E', { at: 4 })]);
    expect(getTitles(await client.pages())).toEqual(['A', 'B', 'C', 'D', 'E']);

    await client.change([{ operation: 'update_page', page: page('D'), at: 0 }]);
    expect(getTitles(await client.pages())).toEqual(['D', 'A', 'B', 'C', 'E']);
    await client.change([{ operation: 'update_page', page: page('D'), at: 4 }]);
    expect(getTitles(await client.pages())).toEqual(['A', 'B', 'C', 'E', 'D']);
  });

  test('rejects a position beyond the end', async () => {
    const client = await makeSpaceClient();
    await seed(client, 'A');

    expect((await client.edit([insertPage('B', { at: 2 })])).body.error.issues).toMatchObject([
      { path: 'body.changes.0.at' },
    ]);
  });

  test('places a new page of the batch among existing siblings', async () => {
    const client = await makeSpaceClient();
    await seed(client, 'A', 'B');
    await client.change([insertPage('New', { ref: 'n' }), { operation: 'update_page', page: 'n', at: 1 }]);

    expect(getTitles(await client.pages())).toEqual(['A', 'New', 'B']);
  });

  test('inserts a page that the batch moves among its new siblings', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'Parent', 'Mover');
    await client.change([insertPage('A', { into: page('Parent') }), insertPage('B', { into: page('Parent') })]);
    await client.change([
      { operation: 'update_page', page: page('Mover'), into: page('Parent') },
      { operation: 'update_page', page: page('Mover'), at: 0 },
    ]);

    expect(getTitles((await client.page(page('Parent'))).pages ?? [])).toEqual(['Mover', 'A', 'B']);
  });

  test('two change requests that insert at the same position both merge, in a stable order', async () => {
    const client = await makeSpaceClient();
    await seed(client, 'A', 'Z');
    const [one, other] = [await client.open(), await client.open()];
    await client.change([insertPage('One', { at: 1 })], one);
    await client.change([insertPage('Other', { at: 1 })], other);
    expect([(await client.merge(one)).body.result, (await client.merge(other)).body.result]).toEqual([
      'merge',
      'merge',
    ]);
    await client.change([insertPage('Between', { at: 2 })]);

    const order = getTitles(await client.pages());
    expect(order[2]).toBe('Between');
    expect(order.toSorted()).toEqual(['A', 'Between', 'One', 'Other', 'Z']);
  });

  test('rejects pages below themselves or below links, and groups below other pages', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'A');
    const [child = '', link = '', group = ''] = await client.change([
      insertPage('Child', { into: page('A') }),
      { operation: 'insert_link', title: 'Link', target: { kind: 'url', url: 'https://example.test/' } },
      { operation: 'insert_group', title: 'Group' },
    ]);
    const moves: [string, string][] = [
      [page('A'), child],
      [page('A'), page('A')],
      [child, link],
      [group, page('A')],
    ];
    for (const [mover, into] of moves) {
      const response = await client.edit([{ operation: 'update_page', page: mover, into }]);
      expect([response.status, response.body.error.issues?.[0]?.path]).toEqual([400, 'body.changes.0.into']);
    }
  });
});

describe('slugs', () => {
  test('rejects a taken slug, and adds a suffix to a slug derived from a title', async () => {
    const client = await makeSpaceClient();
    await seed(client, 'Intro');
    const response = await client.edit([insertPage('Other', { slug: 'intro' })]);
    await client.change([insertPage('Intro'), insertPage('Intro')]);

    expect([response.status, response.body.error.issues?.[0]?.path]).toEqual([409, 'body.changes.0.slug']);
    expect((await client.pages()).map(({ slug }) => slug)).toEqual(['intro', 'intro-2', 'intro-3']);
  });

  test('a move or rename in the batch does not free a slug that a sibling also uses', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'Parent', 'Mover', 'Taken');
    await client.change([insertPage('Inner', { into: page('Parent') })]);
    const move = { operation: 'update_page', page: page('Mover'), into: page('Parent') };
    const clashes = [
      [insertPage('New', { ref: 'n' }), { operation: 'update_page', page: 'n', slug: 'taken' }],
      [move, { operation: 'update_page', page: page('Mover'), slug: 'inner' }],
    ];
    for (const batch of clashes)
      expect((await client.edit(batch)).body.error.issues?.[0]?.path).toBe('body.changes.1.slug');
    await client.change([{ operation: 'update_page', page: page('Mover'), slug: 'inner' }, move]);

    expect((await client.page(page('Parent'))).pages?.map(({ slug }) => slug)).toEqual(['inner', 'inner-2']);
  });

  test('long slugs stay unique', async () => {
    const client = await makeSpaceClient();
    const title = 'long '.repeat(40).trim();
    for (let count = 0; count < 4; count += 1) await client.change([insertPage(title)]);

    const slugs = (await client.pages()).map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(4);
    for (const slug of slugs) expect(slug?.length).toBeLessThanOrEqual(100);
  });

  test('a moved page gets a suffix if a new sibling has its slug', async () => {
    const client = await makeSpaceClient();
    const page = await seed(client, 'Parent', 'Same');
    await client.change([insertPage('Same', { into: page('Parent') })]);
    await client.change([{ operation: 'update_page', page: page('Same'), into: page('Parent') }]);

    expect((await client.page(page('Same'))).path).toBe('parent/same-2');
  });
});
