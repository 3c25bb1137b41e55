import { contracts } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { Route } from './route-table.ts';
import { RouteTable } from './route-table.ts';

const routes: Route<string>[] = [
  { method: 'GET', path: '/v1', target: 'root' },
  { method: 'GET', path: '/v1/a/mine', target: 'mine' },
  { method: 'GET', path: '/v1/a/:id', target: 'one' },
  { method: 'GET', path: '/v1/a/:id/at/:path+', target: 'at' },
  { method: 'POST', path: '/v1/a/:id', target: 'post' },
];
const table = new RouteTable(routes);

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
])('%s %s leads somewhere', (method, path, target, params) => {
  expect(table.find(method, path)).toEqual({ target, params });
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
])('%s %s leads nowhere', (method, path) => {
  expect(table.find(method, path)).toBeUndefined();
});

/** The same by regular expressions, as RFC 3986 would have segments read. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+\+/g, '.+').replace(/:\w+/g, '[^/]+')}/?$`);

test('each endpoint is found at the path that it promises, and at no other', () => {
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
  const everything = new RouteTable(all);

  for (const method of new Set(all.map((each) => each.method)))
    for (const path of new Set(paths))
      expect(everything.find(method, path)?.target, `${method} ${path}`).toBe(
        all.find((each) => each.method === method && patternOf(each.path).test(path))?.target,
      );
});
