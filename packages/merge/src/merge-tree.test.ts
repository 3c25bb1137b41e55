import { expect, test } from 'vitest';
import { type MergedNodes, mergeTree, type TreeSurroundings } from './merge-tree.ts';
import type { Node } from './node.ts';

const page = (id: string, parent = '', slug = id): Node => ({
  kind: 'page',
  id,
  parent,
  position: 'a0',
  slug,
  fields: { title: id },
  document: null,
  createdAt: 0,
  updatedAt: 0,
});

type Entry = [before: Node | undefined, node: Node | undefined];

function merged(...entries: Entry[]): MergedNodes {
  return new Map(entries.map(([before, node]) => [`page:${(node ?? before)?.id}`, { before, node, clashes: [] }]));
}

function run(nodes: MergedNodes, main: Partial<TreeSurroundings> = {}) {
  mergeTree(nodes, { ancestors: [], children: [], siblings: [], heights: new Map(), ...main });
  const entries = [...nodes.values()];
  return {
    clashes: entries.flatMap(({ node, before, clashes }) =>
      clashes.map(({ field }) => `${(node ?? before)?.id} ${field}`),
    ),
    slugs: entries.map(({ node }) => node?.slug),
  };
}

test('leaves a valid tree unchanged', () => {
  const result = run(merged([undefined, page('a')], [undefined, page('b', 'a')]));

  expect(result).toEqual({ clashes: [], slugs: ['a', 'b'] });
});

test('two moves that form a cycle conflict on every page that is below itself', () => {
  const nodes = merged([page('a'), page('a', 'b')]);
  const ancestors = [page('b', 'a'), page('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['a parent']);
});

test('finds a cycle through pages that exist only in main', () => {
  const nodes = merged([page('a'), page('a', 'x')]);
  const ancestors = [page('x', 'y'), page('y', 'a'), page('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['a parent']);
});

test('a page that leads into a cycle conflicts too', () => {
  const nodes = merged([undefined, page('n', 'a')], [page('a'), page('a', 'b')]);
  const ancestors = [page('b', 'a'), page('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['n parent', 'a parent']);
});

test('a page below one that main deleted conflicts', () => {
  expect(run(merged([undefined, page('new', 'gone')])).clashes).toEqual(['new parent']);
});

test('a page below one that the merge deletes conflicts', () => {
  const nodes = merged([page('parent'), undefined], [page('child'), page('child', 'parent')]);

  expect(run(nodes).clashes).toEqual(['child parent']);
});

test('a page far below a deleted one conflicts', () => {
  const nodes = merged([undefined, page('new', 'x')]);

  expect(run(nodes, { ancestors: [page('x', 'gone')] }).clashes).toEqual(['new parent']);
});

test('a page that main added below a deleted page prevents the deletion', () => {
  const nodes = merged([page('parent'), undefined]);

  expect(run(nodes, { children: [page('added', 'parent')] }).clashes).toEqual(['parent pages']);
});

test('a page below a deleted page does not conflict if the merge moves or deletes it', () => {
  const nodes = merged(
    [page('parent'), undefined],
    [page('moved', 'parent'), page('moved')],
    [page('dead', 'parent'), undefined],
  );
  const children = [page('moved', 'parent'), page('dead', 'parent')];

  expect(run(nodes, { children }).clashes).toEqual([]);
});

test('the incoming page gets the next free suffix if a sibling in main has its slug', () => {
  const siblings = [page('m1', '', 'intro'), page('m2', '', 'intro-2')];

  expect(run(merged([undefined, page('n', '', 'intro')]), { siblings }).slugs).toEqual(['intro-3']);
});

test('two pages can have the same slug under different parents', () => {
  const siblings = [page('m1', 'elsewhere', 'intro')];

  expect(run(merged([undefined, page('n', '', 'intro')]), { siblings }).slugs).toEqual(['intro']);
});

test('an unmoved page keeps its slug', () => {
  const nodes = merged([undefined, page('n', '', 'intro')], [page('old', '', 'intro'), page('old', '', 'intro')]);

  expect(run(nodes).slugs).toEqual(['intro-2', 'intro']);
});

test('two pages can swap their slugs', () => {
  const nodes = merged([page('a', '', 'one'), page('a', '', 'two')], [page('b', '', 'two'), page('b', '', 'one')]);

  expect(run(nodes).slugs).toEqual(['two', 'one']);
});

test('a numbered slug differs from the slugs of all other merged pages, in any order', () => {
  const siblings = [{ id: 'm', parent: '', slug: 'intro' }];
  const [wanting, numbered] = [page('n', '', 'intro'), page('o', '', 'intro-2')];
  expect(run(merged([undefined, wanting], [undefined, numbered]), { siblings }).slugs).toEqual(['intro-3', 'intro-2']);
  expect(run(merged([undefined, numbered], [undefined, wanting]), { siblings }).slugs).toEqual(['intro-2', 'intro-3']);
});

test('a slug is free once the merge moves its owner away', () => {
  const nodes = merged([page('old', '', 'intro'), page('old', '', 'outro')], [undefined, page('n', '', 'intro')]);
  const siblings = [page('old', '', 'intro')];

  expect(run(nodes, { siblings }).slugs).toEqual(['outro', 'intro']);
});

test('links have no slug and never conflict with a slug', () => {
  const nodes = merged([undefined, page('l1', '', '')], [undefined, page('l2', '', '')]);

  expect(run(nodes).slugs).toEqual(['', '']);
});
