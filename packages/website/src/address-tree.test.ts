import { expect, test } from 'vitest';
import { type AddressNode, createAddressTree } from './address-tree.ts';
import type { NavigationItem } from './navigation.ts';

const site = 'https://docs.example';
const getUrls = (...paths: string[]): string[] => paths.map((path) => `${site}${path}`);

/** Returns each node as its title and children, with group titles in brackets. */
const getShape = (nodes: AddressNode[]): unknown[] =>
  nodes.map(({ kind, title, children }) => {
    const name = kind === 'group' ? `[${title}]` : title;
    return children.length > 0 ? [name, getShape(children)] : name;
  });

const createItem = (title: string, path?: string, children: NavigationItem[] = []): NavigationItem => ({
  title,
  ...(path !== undefined && { url: `${site}${path}` }),
  children,
});

test('nests pages by path, removes a common prefix, and uses an index page as the page of its folder', () => {
  const tree = createAddressTree(
    getUrls('/docs/', '/docs/a/index.html', '/docs/a/b.html', '/docs/a/c/README.md', '/docs/d/'),
  );
  expect(getShape(tree)).toEqual(['docs', ['a', ['b', 'c']], 'd']);
  expect(tree.map(({ slug, url }) => [slug, url])).toEqual([
    ['docs', `${site}/docs/`],
    ['a', `${site}/docs/a/index.html`],
    ['d', `${site}/docs/d/`],
  ]);
});

test('a folder without a page becomes a group at the top level; deeper, its pages move to the nearest parent', () => {
  const tree = createAddressTree(
    getUrls('/guide/a', '/guide/deep/b', '/guide/deep/er/c', '/api/x', '/api/x/v1/y', '/z'),
  );
  expect(getShape(tree)).toEqual([['[guide]', ['a', 'b', 'c']], ['[api]', [['x', ['y']]]], 'z']);
  expect(tree[0]).not.toHaveProperty('url');
});

test('places the root of the site first', () => {
  expect(getShape(createAddressTree(getUrls('/b', '/', '/a')))).toEqual(['Home', 'b', 'a']);
  expect(getShape(createAddressTree(getUrls('/only/one.html')))).toEqual(['one']);
  expect(createAddressTree([])).toEqual([]);
});

test('uses the page titles, and creates unique slugs that keep non-ASCII letters', () => {
  const titles = new Map([
    [`${site}/a/x-y.html`, 'X & Y'],
    [`${site}/a/%C3%A9t%C3%A9`, ''],
  ]);
  const tree = createAddressTree(
    getUrls('/a/x-y.html', '/a/x-y/', '/a/%C3%A9t%C3%A9', '/a/q?p=1', '/a/q?p=2'),
    [],
    titles,
  );
  expect(tree.map(({ title, slug }) => [title, slug])).toEqual([
    ['X & Y', 'x-y'],
    ['été', 'été'],
    ['q p=1', 'q-p=1'],
    ['q p=2', 'q-p=2'],
  ]);
});

test('the navigation defines the tree if it lists most pages; groups are only at the top level', () => {
  const navigation = [
    createItem('Start', undefined, [
      createItem('Welcome', '/welcome.html'),
      createItem('Inner', undefined, [createItem('Deep', '/x/deep/')]),
    ]),
    createItem('Use', '/use', [
      createItem('First', '/use/first'),
      createItem('Elsewhere', '/not-read'),
      createItem('Again', '/use'),
    ]),
    createItem('Empty'),
  ];
  const tree = createAddressTree(
    getUrls('/use/first', '/use', '/welcome', '/x/deep', '/use/first/more', '/other'),
    navigation,
  );
  expect(getShape(tree)).toEqual([['[Start]', ['Welcome', 'Deep']], ['Use', [['First', ['more']]]], 'other']);
  expect(tree[1]).toMatchObject({ kind: 'page', url: `${site}/use`, slug: 'use' });
});

test('ignores a navigation with few pages', () => {
  const tree = createAddressTree(getUrls('/a', '/b', '/c', '/d', '/e'), [
    createItem('Group', undefined, [createItem('B', '/b'), createItem('A', '/a')]),
  ]);
  expect(getShape(tree)).toEqual(['a', 'b', 'c', 'd', 'e']);
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
