import { expect, test } from 'vitest';
import { readFiles } from './read-texts.ts';

const cases: [string, Record<string, string>, base: string, Record<string, string>][] = [
  [
    'mdBook',
    {
      'book.toml': '[output.html]\nsite-url = "/lamp/"\n',
      'src/SUMMARY.md': '- [Home](home.md)\n- [Expressions]()\n  - [Loops](parts/loops.md)\n- [Part](part/README.md)\n',
      'src/home.md': '# Home\n',
      'src/parts/loops.md': '# Loops\n',
      'src/part/README.md': '# Part\n',
    },
    '/lamp/',
    {
      '/home.html': 'src/home.md',
      '/parts/loops.html': 'src/parts/loops.md',
      '/part': 'src/part/README.md',
      '/part/index.html': 'src/part/README.md',
      '/index.html': 'src/home.md',
    },
  ],
  [
    'Jekyll',
    {
      '_config.yml': 'title: A\n',
      'a.md': '---\npermalink: /at/a/\n---\n',
      'b.md': '---\nredirect_from: /at/b\n---\n',
    },
    '/',
    { '/at/a': 'a.md', '/at/a.html': 'a.md', '/b': 'b.md', '/b.html': 'b.md' },
  ],
  [
    'VitePress',
    { '.vitepress/config.ts': "export default { base: '/x', rewrites: { 'b.md': 'c.md' } }", 'a.md': '', 'b.md': '' },
    '/x',
    { '/c': 'b.md', '/c.html': 'b.md', '/a': 'a.md', '/a.html': 'a.md' },
  ],
  [
    'MkDocs',
    { 'mkdocs.yml': 'site_name: A\n', 'docs/index.md': '', 'docs/Use Me/deep.md': '' },
    '/',
    { '/Use%20Me/deep': 'docs/Use Me/deep.md' },
  ],
  [
    'MkDocs without folders',
    { 'mkdocs.yml': 'use_directory_urls: false\n', 'docs/index.md': '', 'docs/use.md': '' },
    '/',
    { '/index.html': 'docs/index.md', '/use.html': 'docs/use.md' },
  ],
  [
    'Docusaurus',
    {
      'docusaurus.config.js': "module.exports = { presets: [['classic', {}]] }",
      'docs/01-intro.md': '',
      'docs/b.md': '---\nslug: /other\n---\n',
    },
    '/',
    { '/docs/intro': 'docs/01-intro.md', '/docs/other': 'docs/b.md' },
  ],
  [
    'Hugo',
    { 'hugo.toml': 'title = "A"\n', 'content/docs/Setup.md': '', 'content/docs/b.md': '---\nurl: /b-page/\n---\n' },
    '/',
    { '/docs/setup': 'content/docs/Setup.md', '/b-page': 'content/docs/b.md' },
  ],
  ['plain folders', { 'a.md': '' }, '/', {}],
];

test.each(cases)('finds the former addresses of %s', async (_, files, base, addresses) => {
  const { formerAddresses } = await readFiles(files);
  expect(formerAddresses.base).toBe(base);
  expect(Object.fromEntries(formerAddresses.redirects.map(({ source, path }) => [source, path]))).toEqual(addresses);
});

test('a redirect in the configuration overrides a former address, and the first of two redirects with one source is used', async () => {
  const outline = await readFiles({
    'mkdocs.yml': 'plugins:\n  - redirects:\n      redirect_maps: {"a.md": "b.md", "a/index.md": "c.md"}\n',
    'docs/a.md': '',
    'docs/b.md': '',
    'docs/c.md': '',
  });
  expect(outline.redirects).toEqual([{ source: '/a', path: 'docs/b.md', file: 'mkdocs.yml' }]);
  expect(outline.formerAddresses.redirects.map(({ source }) => source)).toEqual(['/b', '/c']);
  expect(outline.messages).toContain(
    'warning mkdocs.yml: The redirect from /a/ to docs/c.md was skipped, because it already redirects to docs/b.md (mkdocs.yml).',
  );
});
