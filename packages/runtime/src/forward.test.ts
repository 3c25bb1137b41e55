import { contracts } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { Route } from './forward.ts';
import { getNetwork, RouteMatcher } from './forward.ts';

const routes: Route<string>[] = [
  { method: 'GET', path: '/v1', target: 'root' },
  { method: 'GET', path: '/v1/a/mine', target: 'mine' },
  { method: 'GET', path: '/v1/a/:id', target: 'one' },
  { method: 'GET', path: '/v1/a/:id/at/:path+', target: 'at' },
  { method: 'POST', path: '/v1/a/:id', target: 'post' },
];
const matcher = new RouteMatcher(routes, { trailingSlash: 'ignored' });

test.each([
  ['GET', '/v1', 'root', {}],
  ['GET', '/v1/', 'root', {}],
  ['GET', '/v1/a/mine', 'mine', {}],
  ['GET', '/v1/a/b%20c', 'one', { id: 'b%20c' }],
  ['GET', '/v1/a/b/', 'one', { id: 'b' }],
  ['POST', '/v1/a/mine', 'post', { id: 'mine' }],
  ['GET', '/v1/a/b/at/c', 'at', { id: 'b', path: 'c' }],
  ['GET', '/v1/a/b/at/c/d//e/', 'at', { id: 'b', path: 'c/d//e/' }],
  ['GET', '/v1/a/b/at//', 'at', { id: 'b', path: '/' }],
])('%s %s matches a route', (method, path, target, params) => {
  expect(matcher.match(method, path)).toEqual({ target, params });
});

test.each([
  ['PUT', '/v1/a/b'],
  ['GET', ''],
  ['GET', '/'],
  ['GET', '/v1//'],
  ['GET', '/v1/a'],
  ['GET', '/v1/a/'],
  ['GET', '/v1/a//'],
  ['GET', '/v1/a/b//'],
  ['GET', '/v1/A/b'],
  ['GET', '/v1/a/b/at/'],
  ['GET', '//v1/a/b'],
])('%s %s matches no route', (method, path) => {
  expect(matcher.match(method, path)).toBeUndefined();
});

const pages = new RouteMatcher(
  [
    { method: 'GET', path: '/', target: 'home' },
    { method: 'GET', path: '/health', target: 'health' },
    { method: 'ALL', path: '/files/*', target: 'files' },
    { method: 'GET', path: '/:path+.md', target: 'markdown' },
    { method: 'GET', path: '/full(-(?<part>[1-9]\\d{0,4}))?.txt', target: 'full' },
  ],
  { trailingSlash: 'refused' },
);

test.each([
  ['GET', '/', 'home', {}],
  ['GET', '/health', 'health', {}],
  ['PUT', '/files/', 'files', {}],
  ['GET', '/files//a/', 'files', {}],
  ['GET', '/a/b.md', 'markdown', { path: 'a/b' }],
  ['GET', '/full.txt', 'full', {}],
  ['GET', '/full-12.txt', 'full', { part: '12' }],
])('%s %s matches a route without a trailing slash', (method, path, target, params) => {
  expect(pages.match(method, path)).toEqual({ target, params });
});

test.each(['//', '/health/', '/health//', '/files', '/filesystem', '/a/b.md/', '/.md', '/full-0.txt', '/fullxtxt'])(
  '%s matches no route without a trailing slash',
  (path) => {
    expect(pages.match('GET', path)).toBeUndefined();
  },
);

/** Compiles the same patterns independently of itty-router. */
const getPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+\+/g, '.+').replace(/:\w+/g, '[^/]+')}/?$`);

test('matches each endpoint at the path of its contract and at no other', () => {
  const all = Object.values(contracts).flatMap((contract) =>
    Object.entries(contract).map(([target, { method, path }]) => ({ method, path: String(path), target })),
  );
  const paths = all.flatMap(({ path }) => {
    const filled = path.replaceAll(/:\w+\+?/g, 'x');
    return [
      filled,
      `${filled}/`,
      `${filled}//`,
      `${filled}/y`,
      filled.replace('x', ''),
      filled.replace(/\/[^/]*$/, ''),
    ];
  });
  const everything = new RouteMatcher(all, { trailingSlash: 'ignored' });

  for (const method of new Set(all.map((each) => each.method)))
    for (const path of new Set(paths))
      expect(everything.match(method, path)?.target, `${method} ${path}`).toBe(
        all.find((each) => each.method === method && getPattern(each.path).test(path))?.target,
      );
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:0001:2::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::ffff', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
])('%s is counted as %s', (address, network) => {
  expect(getNetwork(address)).toBe(network);
});
