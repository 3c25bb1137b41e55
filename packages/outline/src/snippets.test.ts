import { expect, test } from 'vitest';
import { getSnippets } from './read-repository.ts';
import { read } from './read-texts.ts';

test.each([
  ['<<< @/snippets/a.js#part{1,3 js} [Title]', ['@/snippets/a.js']],
  ['  <<< ../a b.ts{2}', ['../a b.ts']],
  ['<!--@include: ./parts/x.md{3,}-->', ['./parts/x.md']],
  ['```rust\n{{#rustdoc_include ../listings/a.rs:here}}\n```\n{{#include b.rs:2:5}}', ['../listings/a.rs', 'b.rs']],
  ['--8<-- "a.py:3:4"\n\n  ;--8<-- "b.py"', ['a.py', 'b.py']],
  ['--8<--\nc.md\n\nd.md:part\n--8<--\nno.md', ['c.md', 'd.md']],
  ['a <<< b, {{ #include x }} and 8<', []],
  ['<<<<<<< change request', []],
])('%s names the included file', (text, files) => {
  expect(getSnippets(text)).toEqual(files);
});

test('imports included files, reports them, and reads nothing outside', async () => {
  const found = await read({
    'mkdocs.yml': 'site_name: x\n',
    'docs/index.md': '--8<-- "docs/code/a.py"\n--8<-- "b.rs"\n--8<-- "../../etc/passwd"\n',
    'docs/code/a.py': 'a',
    'docs/b.rs': 'b',
    'docs/c.rs': 'c',
  });

  expect(found.files).toEqual(['mkdocs.yml', 'docs/code/a.py', 'docs/b.rs']);
  expect(found.told).toEqual([
    'warning docs/index.md: Included snippets (docs/code/a.py, docs/b.rs) were imported as files and are not shown ' +
      'in the page.',
    'warning docs/index.md: It includes ../../etc/passwd, which does not exist.',
    'skipped docs/c.rs: Skipped, because it is not a page or an image and no page links to it.',
  ]);
});

test.each([
  ['{{#include x', 'a'.repeat(700)],
  ['{{#include ', 'a '.repeat(300)],
  ['<!--@include: ', ' '.repeat(490)],
  ['<<< ', 'a[ '.repeat(160)],
  ['\n--8<-- "', "'".repeat(400)],
])('%s repeated costs linear time', (start, rest) => {
  const costOf = (length: number) => {
    const text = `${start}${rest}`.repeat(Math.ceil(length / (start.length + rest.length)));
    const { user } = process.threadCpuUsage();
    getSnippets(text);
    return (process.threadCpuUsage().user - user) / 1_000;
  };
  const length = 32 * 1024;
  costOf(length);
  expect(costOf(8 * length)).toBeLessThan(8 * 3 * costOf(length) + 100);
});
