import { expect, test } from 'vitest';
import { readRepository } from '../read-repository.ts';
import { getSource, readFiles } from '../read-texts.ts';

test('GitBook: root, renamed summary, assets, includes, variables, redirects', async () => {
  const outline = await readFiles({
    '.gitbook.yaml':
      'root: ./docs/\nstructure:\n  readme: ./intro.md\n  summary: ./contents.md\nredirects:\n  old/page: guide/use.md#the%20part\n  gone: ./nothing.md\n  blog: https://example.com/blog#top\n',
    'docs/contents.md': '# Table of contents\n\n* [Use it](guide/use.md)\n  * [More](guide/more.md#there)\n',
    'docs/intro.md': '# Intro\n',
    'docs/guide/use.md':
      '# Use\n\n{% include "../../.gitbook/includes/note.md" %}\n\n![a](<../../.gitbook/assets/a (1).png>)\n[m](../../README.md)\n',
    'docs/guide/more.md': '![b](../../.gitbook/assets/b%20(2).png)\n![wrong](../.gitbook/assets/b%20(2).png)',
    'docs/guide/unlisted.md': 'x',
    '.gitbook/includes/note.md': '---\ntitle: A note\n---\nSee [the use](../../docs/guide/use.md).\n',
    '.gitbook/includes/second.md': 'No heading',
    '.gitbook/vars.yaml': 'version: 1.2\nname: "Octavo"\n9bad: x\nlist: [1]\n',
    '.gitbook/assets/a (1).png': 'png',
    '.gitbook/assets/b (2).png': 'png',
    '.gitbook/assets/data.zip': 'zip',
    'README.md': '# Of the repository\n',
    'CHANGELOG.md': '# Changes\n',
    'src/index.ts': 'x',
    'src/deep/other.ts': 'x',
  });

  expect(outline.convention).toEqual({ name: 'gitbook', path: 'docs/contents.md' });
  expect(outline.tree).toEqual([
    '~intro docs/intro.md',
    'Use it docs/guide/use.md',
    '  More docs/guide/more.md',
    '~unlisted docs/guide/unlisted.md (hidden)',
    '~README README.md (hidden)',
  ]);
  const assets = ['.gitbook/assets/a (1).png', '.gitbook/assets/b (2).png', '.gitbook/assets/data.zip'];
  expect(outline.files.toSorted()).toEqual(['.gitbook.yaml', ...assets, '.gitbook/vars.yaml', 'docs/contents.md']);
  expect(outline.reusableContents.map(({ path, title }) => [path, title])).toEqual([
    ['.gitbook/includes/note.md', 'A note'],
    ['.gitbook/includes/second.md', 'second'],
  ]);
  expect(outline.variables).toEqual({ version: 1.2, name: 'Octavo' });
  expect(outline.redirects).toEqual([
    { source: '/old/page', path: 'docs/guide/use.md', anchor: 'the part', file: '.gitbook.yaml' },
    { source: '/blog', url: 'https://example.com/blog#top', file: '.gitbook.yaml' },
  ]);
  expect([...outline.resolvedTargets]).toEqual([
    ['docs/guide/more.md', { '../.gitbook/assets/b%20(2).png': '.gitbook/assets/b (2).png' }],
  ]);
  expect(outline.messages).toEqual([
    'warning .gitbook/vars.yaml: The variable "9bad" was skipped: its name must start with a letter and contain ' +
      'only letters, digits and underscores.',
    'warning .gitbook/vars.yaml: The variable "list" was skipped: it must be a string, a number, true or false.',
    'warning .gitbook.yaml: The redirect from /gone was skipped, because its target ./nothing.md is not a page of ' +
      'the import.',
    'skipped CHANGELOG.md: Skipped, because it is not part of the site and no page links to it.',
    'skipped src/: The whole folder was skipped: 2 files (2 .ts).',
  ]);
});

test('GitBook: a nested folder with its own configuration, and assets beside its pages', async () => {
  const outline = await readFiles({
    'documentation/.gitbook.yaml': 'root: ./en\n',
    'documentation/en/SUMMARY.md': '* [Start](README.md)\n',
    'documentation/en/README.md': '![](.gitbook/assets/x.png)',
    'documentation/en/.gitbook/assets/x.png': 'png',
    'documentation/en/.gitbook/includes/i.md': '# Included\n',
  });

  expect(outline.tree).toEqual(['Start documentation/en/README.md']);
  const book = ['documentation/.gitbook.yaml', 'documentation/en/SUMMARY.md'];
  expect(outline.files).toEqual([...book, 'documentation/en/.gitbook/assets/x.png']);
  expect(outline.reusableContents.map(({ title }) => title)).toEqual(['Included']);
  expect([...outline.resolvedTargets]).toEqual([]);
});

test('ignores several sibling configurations, and reports a warning', async () => {
  const outline = await readFiles({ 'a/.gitbook.yaml': '', 'b/.gitbook.yaml': '', 'a/p.md': 'p', 'b/p.md': 'p' });

  expect(outline.convention).toEqual({ name: 'folders' });
  expect(outline.messages[0]).toMatch(/^warning a\/\.gitbook\.yaml: There are several configuration files/);
});

test.each([
  ['a tab', 'root:\n\t- x'],
  ['a root outside', 'root: ../../x'],
  [
    'an alias bomb',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`).join('\n')}\n`,
  ],
  ['many levels', '['.repeat(5_000)],
  ['too many bytes', `# ${'x'.repeat(300_000)}`],
])('imports all pages if the configuration is %s', async (_name, text) => {
  const outline = await readFiles({ '.gitbook.yaml': text, 'SUMMARY.md': '* [A](a.md)', 'a.md': 'a' });

  expect(outline.tree).toEqual(['A a.md']);
});

test('mdBook: source folder in the configuration, parts, drafts', async () => {
  const outline = await readFiles({
    'book.toml': '[book]\ntitle = "B"\nsrc = "text"\n\n[output.html.redirect]\n"/old.html" = "one.html"\n',
    'text/SUMMARY.md':
      '# Summary\n\n[Preface](preface.md)\n\n# Part\n\n- [One](one.md)\n  - [Draft]()\n\n---\n\n[End](end.md)\n',
    'text/preface.md': '[one](one.html)',
    'text/one.md': 'x',
    'text/end.md': '![](img/a.svg)',
    'text/img/a.svg': 'svg',
    'theme/index.hbs': 'x',
  });

  expect(outline.convention).toEqual({ name: 'mdbook', path: 'text/SUMMARY.md' });
  expect(outline.tree).toEqual([
    'Preface text/preface.md',
    'Part (group)',
    '  One text/one.md',
    '    Draft',
    'End text/end.md',
  ]);
  expect(outline.files.toSorted()).toEqual(['book.toml', 'text/SUMMARY.md', 'text/img/a.svg']);
  expect(outline.redirects).toEqual([{ source: '/old.html', path: 'text/one.md', file: 'book.toml' }]);
  expect(outline.messages).toEqual([
    'skipped theme/index.hbs: Skipped, because it is not a page or an image and no page links to it.',
  ]);
});

test('a summary: hides unlisted markdown files at the end; reports a missing file, and makes it a group if it has children', async () => {
  const summary =
    '- [A](a.mdx)\n- [B](b.md)\n- [Again](a.mdx)\n- [C](c.md#x)\n  - [D](d.md)\n  - [E](e.md)\n' +
    '- [Made](api/index.html)\n- [Out](https://example.com)\n- [Draft]()\n\n## Part\n';
  const outline = await readFiles({ 'summary.md': summary, 'a.mdx': 'a', 'd.md': 'd', 'z.md': 'z' });

  expect(outline.tree).toEqual([
    ...['A a.mdx', 'Again -> a.mdx', 'C (group)', '  D d.md', 'Made -> api/index.html', 'Out -> https://example.com'],
    ...['Draft', 'Part (group)', '~z z.md (hidden)'],
  ]);
  expect(outline.messages).toEqual([
    'warning summary.md: The entry B names b.md, which does not exist. It was left out.',
    'warning summary.md: The entry E names e.md, which does not exist. It was left out.',
    'warning summary.md: The entry C names c.md#x, which does not exist. It was imported as a group.',
    'warning summary.md: The entry Made names api/index.html, which does not exist. It was imported as a link.',
  ]);
});

test('uses the summary in the folder with the most pages', async () => {
  const outline = await readFiles({
    'src/SUMMARY.md': '- [B](b.md)',
    'src/b.md': 'b',
    'src/a.md': '[r](../README.md)',
    'README.md': 'r',
  });

  expect(outline.convention).toEqual({ name: 'summary', path: 'src/SUMMARY.md' });
  expect(outline.tree).toEqual(['B src/b.md', '~a src/a.md (hidden)', '~README README.md (hidden)']);
});

test('a summary with several entries for one file: only the entry without an anchor is the page, the others are links', async () => {
  const outline = await readFiles({
    'SUMMARY.md': '- [Get](r/api.md#get)\n- [API](r/api.md)\n- [Put](r/api.md#put)\n- [B](b.md#start)',
    'r/api.md': 'a',
    'b.md': 'b',
  });

  expect(outline.tree).toEqual(['Get -> r/api.md#get', 'API r/api.md', 'Put -> r/api.md#put', 'B b.md']);
  expect(outline.messages).toEqual([]);
});

test('a summary that lists a file that is not a page: imports the file and links to it', async () => {
  const outline = await readFiles({
    'SUMMARY.md': '- [Spec](a/spec.pdf)\n- [A](a.md)',
    'a/spec.pdf': 'pdf',
    'a.md': 'a',
  });

  expect(outline.tree).toEqual(['Spec -> a/spec.pdf', 'A a.md']);
  expect(outline.files).toEqual(['SUMMARY.md', 'a/spec.pdf']);
});

test('reports files that were not read, by folder, except those of Git', async () => {
  const unread = ['.git/', 'node_modules/', 'a/.cache/x/y', 'a/.cache/z', 'link.md', '.env'];
  const { problems } = await readRepository({ ...getSource({ 'a.md': 'a' }), unreadablePaths: unread });

  expect(problems.map(({ kind, path, message }) => [kind, path, /symbolic link/.test(message)])).toEqual([
    ['skipped', 'node_modules/', false],
    ['skipped', 'a/.cache/', false],
    ['skipped', 'link.md', true],
    ['skipped', '.env', false],
  ]);
});

test('GitBook: the sections and languages of a site', async () => {
  const outline = await readFiles({
    'docs.yaml': `site:
  title: Lamp
  structure:
    - type: section
      title: Documentation
      path: documentation
      children:
        - { type: space, title: Français, path: fr, content: { directory: ./docs/fr, language: fr } }
        - { type: space, title: English, path: docs, default: true, content: { directory: ./docs/en, language: en } }
        - { type: space, title: 日本語, content: { directory: null } }
    - type: section-group
      title: Resources
      children:
        - type: section
          title: Guides
          path: guides
          children:
            - { type: space, title: All guides, content: { directory: ./guides } }
            - { type: space, title: Gone, content: { directory: ./gone } }
        - { type: section, title: Empty, children: [] }
    - { type: space, title: Changes, path: changes, content: { directory: changelog } }
`,
    'docs/en/SUMMARY.md': '# Summary\n\n- [Second](second.md)\n- [Home](README.md)\n',
    'docs/en/README.md': '[c](../../changelog/a.md)',
    'docs/en/second.md': 'x',
    'docs/en/.gitbook.yaml': 'redirects:\n  old: second.md\n',
    'docs/fr/README.md': 'x',
    'guides/README.md': 'x',
    'guides/a.md': 'x',
    'changelog/a.md': 'x',
    'README.md': 'About the repository',
  });

  expect(outline.convention).toEqual({ name: 'gitbook', path: 'docs.yaml' });
  expect(outline.tree).toEqual([
    'Documentation (group)',
    '  Second docs/en/second.md',
    '  Home docs/en/README.md',
    'Documentation: Français (group)',
    '  ~fr docs/fr/README.md',
    'Resources: Guides (group)',
    '  ~guides guides/README.md',
    '  ~a guides/a.md',
    'Changes (group)',
    '  ~a changelog/a.md',
  ]);
  expect(outline.roots.map((each) => ('slug' in each ? each.slug : ''))).toEqual([
    ...['documentation', 'fr', 'guides', 'changes'],
  ]);
  expect(outline.redirects).toEqual([{ source: '/old', path: 'docs/en/second.md', file: 'docs/en/.gitbook.yaml' }]);
  expect(outline.messages).toContain('warning docs.yaml: The folder ./gone of Resources: Guides: Gone has no pages.');
  expect(outline.outputLocations.summary).toBeUndefined();
});
