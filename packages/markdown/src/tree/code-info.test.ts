import { expect, test } from 'vitest';
import { codeInfo } from './compose.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { publishedTree } from './published-tree.ts';

test.each<[info: string, data: object, lines?: number[]]>([
  ['', {}],
  ['js', { syntax: 'js' }],
  ['c++', { syntax: 'c++' }],
  ['js{1,3}', { syntax: 'js' }, [1, 3]],
  ['rust,ignore', { syntax: 'rust' }],
  ['js title="a b.js" showLineNumbers', { syntax: 'js', title: 'a b.js', lineNumbers: true }],
  ["js title='a.js' {2-3}", { syntax: 'js', title: 'a.js' }, [2, 3]],
  ['sh filename="run.sh" copy', { syntax: 'sh', title: 'run.sh' }],
  ['ts:line-numbers {1,3-4} [config.ts]', { syntax: 'ts', title: 'config.ts', lineNumbers: true }, [1, 3, 4]],
  ['ts:no-line-numbers', { syntax: 'ts', lineNumbers: false }],
  ['ts:line-numbers=2 {1}', { syntax: 'ts', lineNumbers: true }, [1]],
  ['sh [npm]', { syntax: 'sh', title: 'npm' }],
  ['js:src/a.js', { syntax: 'js', title: 'src/a.js' }],
  ['py title="a.py" linenums="1" hl_lines="2 4-5"', { syntax: 'py', title: 'a.py', lineNumbers: true }, [2, 4, 5]],
  ['{ .yaml .annotate title="mkdocs.yml" }', { syntax: 'yaml', title: 'mkdocs.yml' }],
  ['{.python hl_lines="1"}', { syntax: 'python' }, [1]],
  ['{code-block} python', { syntax: 'python' }],
  ['go {linenos=table,hl_lines=[2,"4-5"],linenostart=199}', { syntax: 'go', lineNumbers: true }, [2, 4, 5]],
  ['js ins={2} "word"', { syntax: 'js' }, [2]],
  ['title="only.txt"', { title: 'only.txt' }],
])('parses the fence %j', (info, data, lines = []) => {
  const { lines: found, ...others } = codeInfo(info);
  expect(others).toEqual(data);
  expect([...found]).toEqual(lines);
});

test('separates language, title and lines of a fence in a document, and preserves the fence', () => {
  const markdown = '```ts:line-numbers {2} [config.ts]\na\nb\n```\n';
  const tree = parseTree(markdown, { sources: 'all' });
  expect(renderTree(tree)).toBe(markdown);
  expect(publishedTree(tree, { includes: () => undefined }).nodes).toMatchObject([
    {
      type: 'code',
      data: { syntax: 'ts', title: 'config.ts', lineNumbers: true },
      nodes: [{ data: {} }, { data: { highlighted: true } }],
    },
  ]);
});

test('a hostile fence takes linear time', () => {
  for (const info of ['{', '{.', 'title="', '[', 'hl_lines="1 ', ' ', 'a:', '{1-999999},'].map((each) =>
    each.repeat(50_000),
  )) {
    const start = process.threadCpuUsage();
    expect(codeInfo(info).lines.size).toBeLessThanOrEqual(10_000);
    expect(process.threadCpuUsage(start).user).toBeLessThan(200_000);
  }
});
