import { expect, test } from 'vitest';
import { type MergedNodes, mergeTree, type TreeSurroundings } from './merge-tree.ts';
import type { Node } from './node.ts';

const createPage = (id: string, parent = '', slug = id): Node => ({
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

function createMergedNodes(...entries: Entry[]): MergedNodes {
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
  const result = run(createMergedNodes([undefined, createPage('a')], [undefined, createPage('b', 'a')]));

  expect(result).toEqual({ clashes: [], slugs: ['a', 'b'] });
});

test('two moves that form a cycle conflict on every page that is below itself', () => {
  const nodes = createMergedNodes([createPage('a'), createPage('a', 'b')]);
  const ancestors = [createPage('b', 'a'), createPage('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['a parent']);
});

test('finds a cycle through pages that exist only in main', () => {
  const nodes = createMergedNodes([createPage('a'), createPage('a', 'x')]);
  const ancestors = [createPage('x', 'y'), createPage('y', 'a'), createPage('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['a parent']);
});

test('a page whose ancestors form a cycle conflicts too', () => {
  const nodes = createMergedNodes([undefined, createPage('n', 'a')], [createPage('a'), createPage('a', 'b')]);
  const ancestors = [createPage('b', 'a'), createPage('a')];

  expect(run(nodes, { ancestors }).clashes).toEqual(['n parent', 'a parent']);
});

test('a page below one that main deleted conflicts', () => {
  expect(run(createMergedNodes([undefined, createPage('new', 'gone')])).clashes).toEqual(['new parent']);
});

test('a page below one that the merge deletes conflicts', () => {
  const nodes = createMergedNodes(
    [createPage('parent'), undefined],
    [createPage('child'), createPage('child', 'parent')],
  );

  expect(run(nodes).clashes).toEqual(['child parent']);
});

test('a page far below a deleted one conflicts', () => {
  const nodes = createMergedNodes([undefined, createPage('new', 'x')]);

  expect(run(nodes, { ancestors: [createPage('x', 'gone')] }).clashes).toEqual(['new parent']);
});

test('a page that main added below a page deleted by the change request prevents the deletion', () => {
  const nodes = createMergedNodes([createPage('parent'), undefined]);

  expect(run(nodes, { children: [createPage('added', 'parent')] }).clashes).toEqual(['parent pages']);
});

test('a page below a deleted page does not conflict if the merge moves or deletes it', () => {
  const nodes = createMergedNodes(
    [createPage('parent'), undefined],
    [createPage('moved', 'parent'), createPage('moved')],
    [createPage('dead', 'parent'), undefined],
  );
  const children = [createPage('moved', 'parent'), createPage('dead', 'parent')];

  expect(run(nodes, { children }).clashes).toEqual([]);
});

test('the incoming page gets the next free suffix if a sibling in main has its slug', () => {
  const siblings = [createPage('m1', '', 'intro'), createPage('m2', '', 'intro-2')];

  expect(run(createMergedNodes([undefined, createPage('n', '', 'intro')]), { siblings }).slugs).toEqual(['intro-3']);
});

test('two pages can have the same slug under different parents', () => {
  const siblings = [createPage('m1', 'elsewhere', 'intro')];

  expect(run(createMergedNodes([undefined, createPage('n', '', 'intro')]), { siblings }).slugs).toEqual(['intro']);
});

test('an unmoved page keeps its slug', () => {
  const nodes = createMergedNodes(
    [undefined, createPage('n', '', 'intro')],
    [createPage('old', '', 'intro'), createPage('old', '', 'intro')],
  );

  expect(run(nodes).slugs).toEqual(['intro-2', 'intro']);
});

test('two pages can swap their slugs', () => {
  const nodes = createMergedNodes(
    [createPage('a', '', 'one'), createPage('a', '', 'two')],
    [createPage('b', '', 'two'), createPage('b', '', 'one')],
  );

  expect(run(nodes).slugs).toEqual(['two', 'one']);
});

test('a numbered slug differs from the slugs of all other merged pages, in any order', () => {
  const siblings = [{ id: 'm', parent: '', slug: 'intro' }];
  const [wanting, numbered] = [createPage('n', '', 'intro'), createPage('o', '', 'intro-2')];
  expect(run(createMergedNodes([undefined, wanting], [undefined, numbered]), { siblings }).slugs).toEqual([
    'intro-3',
    'intro-2',
  ]);
  expect(run(createMergedNodes([undefined, numbered], [undefined, wanting]), { siblings }).slugs).toEqual([
    'intro-2',
    'intro-3',
  ]);
});

test('a slug is free once the merge moves the page that has it', () => {
  const nodes = createMergedNodes(
    [createPage('old', '', 'intro'), createPage('old', '', 'outro')],
    [undefined, createPage('n', '', 'intro')],
  );
  const siblings = [createPage('old', '', 'intro')];

  expect(run(nodes, { siblings }).slugs).toEqual(['outro', 'intro']);
});

test('links have no slug and never conflict with a slug', () => {
  const nodes = createMergedNodes([undefined, createPage('l1', '', '')], [undefined, createPage('l2', '', '')]);

  expect(run(nodes).slugs).toEqual(['', '']);
});
