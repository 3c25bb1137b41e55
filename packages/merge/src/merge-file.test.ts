import { expect, test } from 'vitest';
import { mergeNode } from './merge-node.ts';
import type { Node } from './node.ts';

const createBytes = (blob: string, size: number) => ({ blob, size, contentType: 'image/png', oid: blob });
const createFile = (fields: Node['fields']): Node => ({
  kind: 'file',
  id: 'f',
  parent: '',
  position: 'a0',
  slug: '',
  fields,
  document: null,
  createdAt: 1,
  updatedAt: 1,
});
const was = createFile({ name: 'a', ...createBytes('one', 1), width: 1, height: 1 });
const mergeFiles = (main: Node, incoming: Node) => mergeNode({ base: was, main, incoming }, () => '');

test('merges the name of one side with the bytes of the other', () => {
  const renamed = createFile({ ...was.fields, name: 'b' });
  const replaced = createFile({ name: 'a', ...createBytes('two', 2) });
  const both = createFile({ name: 'b', ...createBytes('two', 2) });

  expect(mergeFiles(renamed, replaced)).toEqual({ node: both, clashes: [] });
  expect(mergeFiles(replaced, renamed)).toEqual({ node: both, clashes: [] });
});

test('never mixes bytes of one side with the metadata of another', () => {
  const small = createFile({ name: 'a', ...createBytes('two', 1), width: 1, height: 2 });
  const large = createFile({ name: 'a', ...createBytes('three', 9) });
  const merged = mergeFiles(small, large);

  expect(merged.clashes).toMatchObject([{ field: 'bytes', message: 'changed on both sides' }]);
  expect(merged.node).toEqual(large);
});
