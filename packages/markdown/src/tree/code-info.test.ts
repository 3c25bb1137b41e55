import { expect, test } from 'vitest';
import { parseCodeInfo } from './compose.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { publishTree } from './published-tree.ts';

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
  const { lines: found, ...others } = parseCodeInfo(info);
  expect(others).toEqual(data);
  expect([...found]).toEqual(lines);
});

test('separates the language, title and lines of a code fence, and preserves the fence', () => {
  const markdown = '```ts:line-numbers {2} [config.ts]\na\nb\n```\n';
  const tree = parseTree(markdown, { sources: 'all' });
  expect(renderTree(tree)).toBe(markdown);
  expect(publishTree(tree, { includes: () => undefined }).nodes).toMatchObject([
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
    expect(parseCodeInfo(info).lines.size).toBeLessThanOrEqual(10_000);
    expect(process.threadCpuUsage(start).user).toBeLessThan(200_000);
  }
});

/** Returns the lines of a code block. Highlighted lines start with `> `. */
const getLines = (markdown: string) => {
  const [code] = publishTree(parseTree(markdown), { includes: () => undefined }).nodes;
  const lines = code?.nodes as { data: { highlighted?: boolean }; nodes: { leaves: { text: string }[] }[] }[];
  return lines.map(({ data, nodes }) => `${data.highlighted === true ? '> ' : ''}${nodes[0]?.leaves[0]?.text ?? ''}`);
};

test.each([
  ['// highlight-next-line\na\nb', ['> a', 'b']],
  ['  # highlight-start\na\n\nb\n# highlight-end\nc', ['> a', '> ', '> b', 'c']],
  ['<!-- highlight-next-line -->\na\n{/* highlight-next-line */}\nb', ['> a', '> b']],
  ['a // [!code highlight]\nb // [!code ++]\nc # [!code --]\nd', ['> a', '> b', '> c', 'd']],
  ['// [!code focus:2]\na\nb\nc /* [!code error] */\nd <!-- [!code hl] -->', ['> a', '> b', '> c', '> d']],
  ['a // [!code word:b]\n// [!code word:c:1]\nc', ['a', 'c']],
  [
    'say "// highlight-next-line"\na[!code ++]\n// highlight-other',
    ['say "// highlight-next-line"', 'a[!code ++]', '// highlight-other'],
  ],
])('highlight comments in code become highlighted lines: %j', (code, lines) => {
  const markdown = `\`\`\`js\n${code}\n\`\`\`\n`;
  expect(getLines(markdown)).toEqual(lines);
  expect(renderTree(parseTree(markdown, { sources: 'all' }))).toBe(markdown);
});

test('line numbers of a fence count the lines as written, including highlight comments', () => {
  expect(getLines('```js {3}\n// highlight-next-line\na\nb\nc\n```\n')).toEqual(['> a', '> b', 'c']);
});

test('the title of a tab is not repeated above its code', () => {
  const [tabs] = publishTree(parseTree('::: code-group\n```sh [npm]\na\n```\n```sh [a b]\nb\n```\n:::\n'), {
    includes: () => undefined,
  }).nodes;
  expect(tabs?.nodes).toMatchObject([
    { data: { title: 'npm' }, nodes: [{ data: { syntax: 'sh' } }] },
    { data: { title: 'a b' }, nodes: [{ data: { syntax: 'sh' } }] },
  ]);
  expect(JSON.stringify(tabs).match(/"title"/g)).toHaveLength(2);
});
