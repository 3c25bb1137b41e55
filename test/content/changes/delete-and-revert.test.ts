import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const readPaths = async (branch?: string) => flatten(await space.pages(branch)).map(({ path }) => path);

/** Creates page A with child B and grandchild C, and page D beside A. */
async function seed() {
  const [a = '', b = '', c = '', d = ''] = await space.change([
    insertPage('A', { ref: 'a' }),
    insertPage('B', { into: 'a', ref: 'b' }),
    insertPage('C', { into: 'b' }),
    insertPage('D'),
  ]);
  return { a, b, c, d };
}

describe('deleting a page', () => {
  test('deletes and reports all pages below it', async () => {
    const { a, b, c } = await seed();
    const { body } = await space.edit([{ operation: 'delete_page', page: a }]);

    expect(body.changes.map(({ object, page }) => [object, page])).toEqual(
      expect.arrayContaining([a, b, c].map((id) => ['deleted_page', id])),
    );
    expect(await readPaths()).toEqual(['d']);
    expect((await space.call(`/content/page/${c}`)).status).toBe(404);
  });

  test('keeps a page that the same batch moved out, and deletes one that it moved in with its descendants', async () => {
    const { a, b, c, d } = await seed();
    const [below = ''] = await space.change([insertPage('Below D', { into: d })]);
    await space.change([
      { operation: 'update_page', page: b, into: null },
      { operation: 'update_page', page: d, into: a },
      { operation: 'delete_page', page: a },
    ]);

    expect(await readPaths()).toEqual(['b', 'b/c']);
    expect((await space.call(`/content/page/${below}`)).status).toBe(404);
    expect((await space.call(`/content/page/${c}`)).status).toBe(200);
  });

  test('conflicts with a page that main inserted below the deleted page, and changes nothing', async () => {
    const { a } = await seed();
    const branch = await space.open();
    await space.change([{ operation: 'delete_page', page: a }], branch);
    await space.change([insertPage('Late', { into: a })]);
    const before = await space.head();
    const { body } = await space.merge(branch);

    expect(body).toMatchObject({ result: 'conflicts', conflicts: [{ kind: 'page', id: a, field: 'pages' }] });
    expect(await space.head()).toEqual(before);
  });
});

describe('reverting a page', () => {
  test('restores its text, title and position from the base of the change request', async () => {
    const { b } = await seed();
    const branch = await space.open();
    await space.change(
      [{ operation: 'update_page', page: b, into: null, title: 'New', document: { markdown: 'new' } }],
      branch,
    );
    const reverted = await space.edit([{ operation: 'revert_page', page: b }], branch);

    expect(reverted.status).toBe(200);
    expect(await space.page(b, branch)).toMatchObject({ title: 'B', path: 'a/b', markdown: 'B\n' });
    expect(await space.callJson(`/change-requests/${branch}/changes`)).toMatchObject({ changes: [] });
  });

  test('restores a deleted page', async () => {
    const { b } = await seed();
    const branch = await space.open();
    await space.change([{ operation: 'delete_page', page: b }], branch);
    expect((await space.edit([{ operation: 'revert_page', page: b }], branch)).status).toBe(200);

    expect(await space.page(b, branch)).toMatchObject({ path: 'a/b', markdown: 'B\n' });
  });

  test('deletes a page that the change request created', async () => {
    await seed();
    const branch = await space.open();
    const [newPage = ''] = await space.change([insertPage('Made')], branch);
    await space.change([{ operation: 'revert_page', page: newPage }], branch);

    expect(await readPaths(branch)).toEqual(['a', 'a/b', 'a/b/c', 'd']);
  });

  test('restores the page from a specified revision, also in live content', async () => {
    const { d } = await seed();
    const { id: revision } = await space.head();
    await space.change([{ operation: 'update_page', page: d, title: 'New', document: { markdown: 'new' } }]);
    await space.change([{ operation: 'revert_page', page: d, revision }]);

    expect(await space.page(d)).toMatchObject({ title: 'D', markdown: 'D\n' });
    expect((await space.edit([{ operation: 'revert_page', page: d, revision: 'rev_none' }])).status).toBe(400);
  });

  test('is rejected if the page would be below itself', async () => {
    const { a, b } = await seed();
    const { id: revision } = await space.head();
    await space.change([{ operation: 'update_page', page: b, into: null }]);
    await space.change([{ operation: 'update_page', page: a, into: b }]);

    expect((await space.edit([{ operation: 'revert_page', page: b, revision }])).status).toBe(409);
    expect(await readPaths()).toEqual(['d', 'b', 'b/c', 'b/a']);
  });

  test('is rejected if the former parent is deleted', async () => {
    const { a, b } = await seed();
    const { id: revision } = await space.head();
    await space.change([{ operation: 'update_page', page: b, into: null }]);
    await space.change([{ operation: 'delete_page', page: a }]);

    expect((await space.edit([{ operation: 'revert_page', page: b, revision }])).status).toBe(409);
  });

  test('adds a suffix if the slug is taken', async () => {
    const { b, d } = await seed();
    const { id: revision } = await space.head();
    await space.change([{ operation: 'update_page', page: d, slug: 'other' }, insertPage('D')]);
    await space.change([{ operation: 'revert_page', page: d, revision }]);

    expect((await space.page(d)).slug).toBe('d-2');
    expect((await space.page(b)).slug).toBe('b');
  });
});
