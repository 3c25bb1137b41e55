import { expect, test } from 'vitest';
import { getImports } from './page-includes.ts';

test('returns the imports of a page', () => {
  expect(
    getImports("import A from './a.mdx'\nimport 'b.css';\n import C from 'c'\nimport  { D }  from  \"d\""),
  ).toEqual(['./a.mdx', 'b.css', 'd']);
});

test('a text of many blanks takes linear time', () => {
  const { user } = process.threadCpuUsage();
  for (const start of ['import', 'import a from']) getImports(`${start}${' '.repeat(900_000)}`);
  expect((process.threadCpuUsage().user - user) / 1_000).toBeLessThan(1_000);
});
