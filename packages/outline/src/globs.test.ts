import { expect, test } from 'vitest';
import { createIgnoreTest, getMatcher } from './paths.ts';
import { readFiles } from './read-texts.ts';

test.each([
  ['*.md', ['a.md', '.md'], ['a/b.md', 'a.mdx']],
  ['**/*.md', ['a.md', 'a/b/c.md'], ['a.txt']],
  ['a/**', ['a/b', 'a/b/c'], ['b/a/c']],
  ['**/_*.{js,md}', ['_a.md', 'x/_b.js'], ['a_.md', '_a.ts']],
  ['./x/?.md', ['x/a.md'], ['x/ab.md', 'a.md']],
  ['a*b*c', ['abc', 'a-b-b-c'], ['ab', 'abcd']],
  ['a/**/b.md', ['a/b.md', 'a/x/y/b.md'], ['b.md', 'a/bb.md']],
])('%s matches only the expected paths', (glob, those, others) => {
  const matches = getMatcher([glob]);
  expect(those.filter((path) => !matches(path))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test('an ignore file excludes names at any level, folders and paths from the root, and can make exceptions', () => {
  const isIgnored = createIgnoreTest('# no\n*.py\n/top.md\ndrafts/\nx/y.md\n!keep.py\n');
  const paths = [
    'a/b.py',
    'keep.py',
    'top.md',
    'a/top.md',
    'drafts/a.md',
    'b/drafts/a/c.md',
    'drafts',
    'x/y.md',
    'z/x/y.md',
  ];
  expect(paths.filter(isIgnored)).toEqual(['a/b.py', 'top.md', 'drafts/a.md', 'b/drafts/a/c.md', 'x/y.md']);
});

test('a hostile glob takes time linear in the length of the glob and the path', () => {
  const globs = [`${'*a'.repeat(240)}b`, '**/'.repeat(160), '{a,b}'.repeat(90), `${'*'.repeat(490)}b`];
  const path = `${'a'.repeat(4_000)}/${'a/'.repeat(2_000)}`;
  expect(globs.map((glob) => getMatcher([glob])(path))).toEqual([false, true, false, false]);
});

test.each<[string, Record<string, string>]>([
  ['mkdocs', { 'mkdocs.yml': 'exclude_docs: |\n  drafts/\n  /secret.md\n' }],
  ['vitepress', { 'docs/.vitepress/config.ts': "export default { srcExclude: ['**/drafts/**', 'secret.md'] }" }],
  [
    'docusaurus',
    {
      'docusaurus.config.js':
        "export default { presets: [['classic', { docs: { exclude: ['drafts/**', '**/secret.md'] } }]] }",
    },
  ],
])('%s: files excluded by the configuration are not pages, and are reported', async (name, files) => {
  const outline = await readFiles({
    ...files,
    'docs/index.md': '# A',
    'docs/drafts/a.md': 'a',
    'docs/drafts/b.md': 'b',
    'docs/secret.md': 's',
  });

  expect(outline.convention.name).toBe(name);
  expect(outline.pages).toEqual(['docs/index.md']);
  expect(outline.messages).toEqual([
    'skipped docs/drafts/: The whole folder was skipped: 2 files (2 .md).',
    'skipped docs/secret.md: Skipped, because it is not part of the site and no page links to it.',
  ]);
});

test('VitePress: pages have their rewritten addresses', async () => {
  const outline = await readFiles({
    '.vitepress/config.ts':
      "export default { rewrites: { 'guide/a.md': 'start.md' }, themeConfig: { sidebar: [{ link: '/start' }] } }",
    'guide/a.md': 'a',
  });

  expect(outline.tree).toEqual(['~a guide/a.md']);
});
