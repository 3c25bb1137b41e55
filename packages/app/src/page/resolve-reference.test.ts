import { expect, test } from 'vitest';
import { createAppResolver, findFileIds } from './resolve-reference.ts';

const resolve = createAppResolver({
  space: 'spc_a',
  contentPath: '/spaces/spc_a',
  pages: new Map(),
  files: new Map(),
});

test.each(['https://a.example/b', 'http://a.example', 'mailto:a@b.example', '/guide', 'guide.md'])(
  'links to the address %s of a reference that has no other target',
  (href) => {
    expect(resolve({ kind: 'page', page: 'pg_missing', href })?.to).toBe(href);
  },
);

test.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,a', 'vbscript:a'])(
  'does not link to the address %j',
  (address) => {
    expect(resolve({ kind: 'page', page: 'pg_missing', href: address })).toBeUndefined();
    expect(resolve({ kind: 'url', url: address })).toBeUndefined();
  },
);

test('finds the files of references and of cells of tables, each once', () => {
  const [first, second] = ['file_0000000000000000000A', 'file_0000000000000000000B'];
  const image = { type: 'image', data: { ref: { kind: 'file', file: first } } };
  const table = { type: 'table', data: { records: { row: { values: { files: [second, first] } } } } };

  expect(findFileIds({ nodes: [image, table, { text: `The id is ${first}.` }] })).toEqual([first, second]);
  expect(findFileIds(undefined)).toEqual([]);
});
