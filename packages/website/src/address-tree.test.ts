import { expect, test } from 'vitest';
import { type AddressNode, createAddressTree } from './address-tree.ts';
import type { NavigationItem } from './navigation.ts';

const site = 'https://docs.example';
const at = (...paths: string[]): string[] => paths.map((path) => `${site}${path}`);

/** Returns each node as its title and children, with group titles in brackets. */
const shape = (nodes: AddressNode[]): unknown[] =>
  nodes.map(({ kind, title, children }) => {
    const name = kind === 'group' ? `[${title}]` : title;
    return children.length > 0 ? [name, shape(children)] : name;
  });

const item = (title: string, path?: string, children: NavigationItem[] = []): NavigationItem => ({
  title,
  ...(path !== undefined && { url: `${site}${path}` }),
  children,
});

test('nests pages by path, strips a common prefix, and uses an index as the page of its folder', () => {
  const tree = createAddressTree(
    at('/docs/', '/docs/a/index.html', '/docs/a/b.html', '/docs/a/c/README.md', '/docs/d/'),
  );
  expect(shape(tree)).toEqual(['docs', ['a', ['b', 'c']], 'd']);
  expect(tree.map(({ slug, url }) => [slug, url])).toEqual([
    ['docs', `${site}/docs/`],
    ['a', `${site}/docs/a/index.html`],
    ['d', `${site}/docs/d/`],
  ]);
});

test('a folder without a page becomes a group at the top level; deeper, its pages move to the nearest parent', () => {
  const tree = createAddressTree(at('/guide/a', '/guide/deep/b', '/guide/deep/er/c', '/api/x', '/api/x/v1/y', '/z'));
  expect(shape(tree)).toEqual([['[guide]', ['a', 'b', 'c']], ['[api]', [['x', ['y']]]], 'z']);
  expect(tree[0]).not.toHaveProperty('url');
});

test('places the root of the site first', () => {
  expect(shape(createAddressTree(at('/b', '/', '/a')))).toEqual(['Home', 'b', 'a']);
  expect(shape(createAddressTree(at('/only/one.html')))).toEqual(['one']);
  expect(createAddressTree([])).toEqual([]);
});

test('uses the page titles, and creates unique slugs that keep non-ASCII letters', () => {
  const titles = new Map([
    [`${site}/a/x-y.html`, 'X & Y'],
    [`${site}/a/%C3%A9t%C3%A9`, ''],
  ]);
  const tree = createAddressTree(at('/a/x-y.html', '/a/x-y/', '/a/%C3%A9t%C3%A9', '/a/q?p=1', '/a/q?p=2'), [], titles);
  expect(tree.map(({ title, slug }) => [title, slug])).toEqual([
    ['X & Y', 'x-y'],
    ['été', 'été'],
    ['q p=1', 'q-p=1'],
    ['q p=2', 'q-p=2'],
  ]);
});

test('the navigation defines the tree if it lists most pages; groups are only at the top level', () => {
  const navigation = [
    item('Start', undefined, [item('Welcome', '/welcome.html'), item('Inner', undefined, [item('Deep', '/x/deep/')])]),
    item('Use', '/use', [item('First', '/use/first'), item('Elsewhere', '/not-read'), item('Again', '/use')]),
    item('Empty'),
  ];
  const tree = createAddressTree(
    at('/use/first', '/use', '/welcome', '/x/deep', '/use/first/more', '/other'),
    navigation,
  );
  expect(shape(tree)).toEqual([['[Start]', ['Welcome', 'Deep']], ['Use', [['First', ['more']]]], 'other']);
  expect(tree[1]).toMatchObject({ kind: 'page', url: `${site}/use`, slug: 'use' });
});

test('ignores a navigation with few pages', () => {
  const tree = createAddressTree(at('/a', '/b', '/c', '/d', '/e'), [
    item('Group', undefined, [item('B', '/b'), item('A', '/a')]),
  ]);
  expect(shape(tree)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('each address appears in the tree once, at any depth', () => {
  const addresses = Array.from({ length: 300 }, (_, n) => `${site}/${'d/'.repeat(n)}p${n}`);
  const urls: string[] = [];
  const look = (nodes: AddressNode[], depth: number): void => {
    expect(depth).toBeLessThan(32);
    for (const { url, children } of nodes) {
      if (url !== undefined) urls.push(url);
      look(children, depth + 1);
    }
  };
  look(createAddressTree([...addresses, ...addresses, 'not an address']), 0);
  expect(urls.sort()).toEqual(addresses.sort());
  const chain = Array.from(
    { length: 60 },
    (_, n) => `${site}/${Array.from({ length: n + 1 }, (_each, k) => `p${k}`).join('/')}`,
  );
  urls.length = 0;
  look(createAddressTree(chain), 0);
  expect(urls.sort()).toEqual(chain.sort());
});
