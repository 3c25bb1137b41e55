import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

describe('groups and links', () => {
  const link = { operation: 'insert_link', title: 'Link', target: { kind: 'url', url: 'https://example.test/a' } };

  test('are in the tree with their type', async () => {
    await space.change([
      { operation: 'insert_group', title: 'Part One', ref: 'part' },
      { operation: 'insert_page', title: 'First', document: { markdown: 'x' }, into: 'part' },
      { ...link, into: 'part' },
    ]);
    const [group] = await space.pages();

    expect(group).toMatchObject({ type: 'group', title: 'Part One', slug: 'part-one', path: 'part-one' });
    expect(group?.pages).toMatchObject([
      { type: 'document', path: 'part-one/first' },
      { type: 'link', title: 'Link', href: 'https://example.test/a' },
    ]);
  });

  test('have no document, and links have no slug', async () => {
    const [group = '', id = ''] = await space.change([{ operation: 'insert_group', title: 'G' }, link]);
    const refused = [
      { page: group, document: { markdown: 'x' } },
      { page: id, document: { markdown: 'x' } },
      { page: id, slug: 'x' },
    ];
    for (const change of refused) {
      expect((await space.edit([{ operation: 'update_page', ...change }])).status).toBe(400);
    }
  });

  test('allows any number of sibling links', async () => {
    await space.change([link, link, { ...link, at: 0, title: 'First' }]);

    expect((await space.pages()).map(({ title }) => title)).toEqual(['First', 'Link', 'Link']);
  });
});

describe('variables', () => {
  const set = (variables: object) => ({ operation: 'set_variables', variables });

  test('are set, changed and removed by name, and others stay unchanged', async () => {
    await space.change([set({ version: '1.0', beta: true, count: 3 })]);
    await space.change([set({ version: '2.0', beta: null, unknown: null })]);

    expect((await space.head()).variables).toEqual({ version: '2.0', count: 3 });
  });

  test('are merged if two change requests set different ones, and conflict otherwise', async () => {
    const [one, other, third] = [await space.open(), await space.open(), await space.open()];
    await space.change([set({ a: 1 })], one);
    await space.change([set({ b: 1 })], other);
    await space.change([set({ a: 2 })], third);

    expect((await space.merge(one)).body.result).toBe('merge');
    expect((await space.merge(other)).body.result).toBe('merge');
    expect((await space.merge(third)).body).toMatchObject({
      result: 'conflicts',
      conflicts: [{ kind: 'variable', id: 'a', field: 'value' }],
    });
    expect((await space.head()).variables).toEqual({ a: 1, b: 1 });
  });
});

test('inserts, changes and deletes reusable content, also within a change request', async () => {
  const response = await space.edit([
    { operation: 'insert_reusable_content', title: 'Note', document: { markdown: 'careful' }, ref: 'n' },
  ]);
  const [id = ''] = response.body.changes.map(({ reusableContent }) => reusableContent);
  expect(response.body.changes).toEqual([{ object: 'created_reusable_content', reusableContent: id, ref: 'n' }]);

  const branch = await space.open();
  await space.change([{ operation: 'update_reusable_content', reusableContent: id, title: 'Warning' }], branch);
  expect((await space.head()).reusableContents).toMatchObject([{ title: 'Note' }]);
  expect((await space.head(branch)).reusableContents).toMatchObject([{ title: 'Warning' }]);
  await space.merge(branch);
  expect((await space.head()).reusableContents).toMatchObject([{ id, title: 'Warning' }]);

  await space.change([{ operation: 'delete_reusable_content', reusableContent: id }]);
  expect((await space.head()).reusableContents).toEqual([]);
  expect((await space.edit([{ operation: 'delete_reusable_content', reusableContent: id }])).status).toBe(404);
});
