import { expect, test } from 'vitest';
import { readFiles } from '../read-texts.ts';

test('VitePress: sidebars by folder, in other files and in functions, clean URLs, public files', async () => {
  const outline = await readFiles({
    'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress'
import { reference } from './reference'
export default defineConfig({ base: '/b/', themeConfig: { sidebar: { '/guide/': guide(), '/ref/': { base: '/ref/', items: reference } } } })
function guide() { return [{ text: 'Guide', items: [{ text: 'Start', link: '/guide/start' }, { text: 'Gone', link: '/guide/gone' }] }] }`,
    'docs/.vitepress/reference.ts': "export const reference = [{ text: 'API', link: 'api.html' }]",
    'docs/index.md': '---\nlayout: home\n---\n',
    'docs/guide/start.md': '[a](../ref/api.html) ![i](/logo.svg) [h](/b/) [f](/doc.pdf)',
    'docs/ref/api.md': 'x',
    'docs/public/logo.svg': 'svg',
    'docs/public/doc.pdf': 'pdf',
    'docs/other.md': 'x',
  });

  expect(outline.convention.name).toBe('vitepress');
  expect(outline.tree).toEqual([
    '~docs docs/index.md',
    'Guide (group)',
    '  Start docs/guide/start.md',
    'API docs/ref/api.md',
    '~other docs/other.md (hidden)',
  ]);
  expect(outline.files).toEqual([
    ...['docs/.vitepress/config.mts', 'docs/.vitepress/reference.ts', 'docs/public/logo.svg', 'docs/public/doc.pdf'],
  ]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'docs/guide/start.md': {
      '/logo.svg': 'docs/public/logo.svg',
      '/b/': 'docs/index.md',
      '/doc.pdf': 'docs/public/doc.pdf',
    },
  });
  expect(outline.messages).toContain(
    'warning docs/.vitepress/config.mts: The entry Gone names /guide/gone, which does not exist. It was left out.',
  );
});

test('Starlight: content folder, slugs, generated groups', async () => {
  const outline = await readFiles({
    'astro.config.mjs': `export default defineConfig({ integrations: [starlight({ title: 'x', sidebar: [
      { label: 'Guides', items: ['guides/one', { label: 'Second', slug: 'guides/two' }] },
      { label: 'Reference', autogenerate: { directory: 'reference' } }, { label: 'Out', link: 'https://example.com/' }] })] });`,
    'src/content/docs/index.mdx': '---\ntemplate: splash\n---\n[x](/guides/one/)',
    'src/content/docs/guides/One.md': '![a](../../../assets/a.webp)',
    'src/content/docs/guides/two.mdx': '[one](../one/)',
    'src/content/docs/reference/b.md': '---\nsidebar:\n  order: 1\n  label: The B\n---\n',
    'src/content/docs/reference/a.md': 'a',
    'src/assets/a.webp': 'x',
    'src/content.config.ts': 'x',
  });

  expect(outline.tree).toEqual([
    '~docs src/content/docs/index.mdx',
    'Guides (group)',
    '  ~One src/content/docs/guides/One.md',
    '  Second src/content/docs/guides/two.mdx',
    'Reference (group)',
    '  The B src/content/docs/reference/b.md',
    '  ~a src/content/docs/reference/a.md',
    'Out -> https://example.com/',
  ]);
  expect(outline.files).toEqual(['astro.config.mjs', 'src/assets/a.webp']);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'src/content/docs/index.mdx': { '/guides/one/': 'src/content/docs/guides/One.md' },
    'src/content/docs/guides/two.mdx': { '../one/': 'src/content/docs/guides/One.md' },
  });
});

test('Starlight: resolves TypeScript path aliases', async () => {
  const outline = await readFiles({
    'astro.config.mjs': 'export default { integrations: [starlight({})] }',
    'tsconfig.json':
      '{ // comment\n "extends": "x", "compilerOptions": { "baseUrl": "./src", "paths": { "@pics/*": ["assets/pics/*"], "#all": ["x"] } } }',
    'src/content/docs/a.mdx': 'import Pic from "@pics/a.png"\n\n![x](@pics/a.png) ![y](~/assets/pics/b.png)',
    'src/assets/pics/a.png': 'a',
    'src/assets/pics/b.png': 'b',
  });

  expect(outline.files).toEqual([
    'astro.config.mjs',
    'tsconfig.json',
    'src/assets/pics/a.png',
    'src/assets/pics/b.png',
  ]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'src/content/docs/a.mdx': {
      '@pics/a.png': 'src/assets/pics/a.png',
      '~/assets/pics/b.png': 'src/assets/pics/b.png',
    },
  });
});

test('Hugo: URLs omit the language folder and ignore case', async () => {
  const outline = await readFiles({
    'hugo.toml': '[module]\n[[module.mounts]]\nsource = "content/en"\ntarget = "content"\n',
    'content/en/_index.md':
      '[a](/docs/setup/) [b](/docs/ways/fuzzycount/) [c](/docs/ways/FuzzyCount/) [d](/docs/renamed/)',
    'content/en/docs/Setup.md': 'x',
    'content/en/docs/Other.md': '---\nslug: Renamed\n---\n',
    'content/en/docs/ways/FuzzyCount.md': 'x',
  });

  expect(Object.fromEntries(outline.resolvedTargets)['content/en/_index.md']).toEqual({
    '/docs/setup/': 'content/en/docs/Setup.md',
    '/docs/ways/fuzzycount/': 'content/en/docs/ways/FuzzyCount.md',
    '/docs/ways/FuzzyCount/': 'content/en/docs/ways/FuzzyCount.md',
    '/docs/renamed/': 'content/en/docs/Other.md',
  });
  expect(outline.tree).toContain('docs (group)');
});

test('MkDocs: nav with Python tags, sections, redirects, folder URLs', async () => {
  const outline = await readFiles({
    'mkdocs.yml':
      'site_url: https://example.com/p/\ntheme:\n  features: [navigation.indexes]\nmarkdown_extensions:\n  - x: {a: !!python/name:m.f }\nplugins:\n  - redirects:\n      redirect_maps:\n        old.md: use/more.md\nnav:\n  - index.md\n  - Use:\n    - use/index.md\n    - More: use/more.md\n    - Inner:\n      - use/deep.md\n  - Out: https://example.com\n  - gone.md\n',
    'docs/index.md': '<a href="use/more/">m</a> ![](img/a.png) [p](/p/use/deep/)',
    'docs/use/index.md': 'x',
    'docs/use/more.md': '<img src="../../img/a.png">',
    'docs/use/deep.md': 'x',
    'docs/use/unlisted.md': 'x',
    'docs/img/a.png': 'png',
    'README.md': 'x',
  });

  expect(outline.tree).toEqual([
    '~docs docs/index.md',
    'Use docs/use/index.md',
    '  More docs/use/more.md',
    '  Inner',
    '    ~deep docs/use/deep.md',
    'Out -> https://example.com',
    '~unlisted docs/use/unlisted.md (hidden)',
  ]);
  expect(outline.redirects).toEqual([{ source: '/old', path: 'docs/use/more.md', file: 'mkdocs.yml' }]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'docs/index.md': { '/p/use/deep/': 'docs/use/deep.md' },
    'docs/use/more.md': { '../../img/a.png': 'docs/img/a.png' },
  });
  expect(outline.messages).toContain(
    'warning mkdocs.yml: An entry names gone.md, which does not exist. It was left out.',
  );
});

test('Hugo: sections, weights, drafts, TOML, static files, aliases', async () => {
  const outline = await readFiles({
    'hugo.toml': 'baseURL = "https://example.com/x/"\n[params]\na = 1\n',
    'content/en/_index.md': '# Home\n',
    'content/en/docs/_index.md': '+++\nweight = 2\n+++\n',
    'content/en/docs/late.md': '---\nweight: 20\naliases: [/former/]\n---\n![](/images/a.png)',
    'content/en/docs/Early.md': '+++\nweight = 10\n+++\n[l](/docs/late/) [m](../late)',
    'content/en/docs/draft.md': '---\ndraft: true\n---\n',
    'content/en/about/index.md': '---\nweight: 1\n---\n',
    'static/images/a.png': 'png',
    'layouts/x.html': 'x',
  });

  expect(outline.tree).toEqual([
    '~en content/en/_index.md',
    '~about content/en/about/index.md',
    '~docs content/en/docs/_index.md',
    '  ~Early content/en/docs/Early.md',
    '  ~late content/en/docs/late.md',
    '  ~draft content/en/docs/draft.md (hidden)',
  ]);
  expect(outline.redirects).toEqual([
    { source: '/former', path: 'content/en/docs/late.md', file: 'content/en/docs/late.md' },
  ]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'content/en/docs/late.md': { '/images/a.png': 'static/images/a.png' },
    'content/en/docs/Early.md': { '/docs/late/': 'content/en/docs/late.md', '../late': 'content/en/docs/late.md' },
  });
});

test('Jekyll: page numbers, parents, permalinks, posts, included partials', async () => {
  const outline = await readFiles({
    '_config.yml': 'baseurl: /j\ncollections:\n  guides:\n    output: true\n',
    'index.md': '---\ntitle: Home\nnav_order: 1\n---\n[p](/j/at/p/) ![](/assets/a.png)\n{% include note.md a="b" %}\n',
    'docs/parent.md': '---\ntitle: Parent\nnav_order: 2\n---\n',
    'docs/child.md': '---\ntitle: Child\nparent: Parent\npermalink: /at/p/\nredirect_from: was/\n---\n',
    '_guides/g.md': '---\ntitle: G\nnav_exclude: true\n---\n',
    '_posts/2020-02-03-hello.md': 'x',
    '_includes/note.md': 'Note',
    '_layouts/default.html': 'x',
    'assets/a.png': 'png',
  });

  expect(outline.tree).toEqual([
    '~index index.md',
    '~parent docs/parent.md',
    '  ~child docs/child.md',
    'guides (group)',
    '  ~g _guides/g.md (hidden)',
    'Posts (group)',
    '  ~hello _posts/2020-02-03-hello.md',
  ]);
  expect(outline.reusableContents.map(({ path }) => path)).toEqual(['_includes/note.md']);
  expect(outline.redirects).toEqual([{ source: '/was', path: 'docs/child.md', file: 'docs/child.md' }]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'index.md': { '/j/at/p/': 'docs/child.md', '_includes/note.md': '_includes/note.md' },
  });
});

test('plain folders: index pages, pages next to folders, numbers, frontmatter of other tools, assets, and a base from the options', async () => {
  const outline = await readFiles(
    {
      'README.md': '[g](/help/guide/start) ![](/pic/a.png) ![](/b.png)',
      'guide/02-start.mdx': '---\ntitle: {{ x }}\nhidden: "yes"\n---\n',
      'guide/01-first.md': 'x',
      'guide/start.md': 'x',
      'blog.md': 'x',
      'blog/one.md': 'x',
      'deep/_index.md': 'x',
      'web/pic/a.png': 'png',
      'public/b.png': 'png',
    },
    { assets: ['web'], base: '/help' },
  );

  expect(outline.tree).toEqual([
    '~README README.md',
    '~blog blog.md',
    '  ~one blog/one.md',
    '~deep deep/_index.md',
    'guide (group)',
    '  ~first guide/01-first.md',
    '  ~start guide/02-start.mdx',
    '  ~start guide/start.md',
  ]);
  expect(Object.fromEntries(outline.resolvedTargets)).toEqual({
    'README.md': { '/help/guide/start': 'guide/start.md', '/pic/a.png': 'web/pic/a.png', '/b.png': 'public/b.png' },
  });
  expect(outline.messages.filter((line) => line.startsWith('warning'))).toHaveLength(1);
});

test('Jekyll: an index page is not below a page of its own folder, and the parent is the match nearest to the root', async () => {
  const outline = await readFiles({
    '_config.yml': 'title: x\n',
    'zguides/index.md': '---\ntitle: Guides\nparent: Reference\n---\n',
    'zguides/reference.md': '---\ntitle: Reference\n---\n',
    'zguides/start.md': '---\nparent: Top\n---\n',
    'deep/er/top.md': '---\ntitle: Top\n---\n',
    'top.md': '---\ntitle: Top\nparent: Top\n---\n',
  });

  expect(outline.tree).toEqual([
    'deep (group)',
    '  er',
    '    ~top deep/er/top.md',
    '      ~top top.md',
    '        ~start zguides/start.md',
    '~zguides zguides/index.md',
    '  ~reference zguides/reference.md',
  ]);
});

test.each([
  ['hugo', { 'hugo.toml': '', 'config.yaml': 'a: 1', 'content/a.md': 'a' }],
  ['hugo', { 'config.toml': '', 'config.json': '{}', 'content/a.md': 'a' }],
  ['folders', { 'config.json': '{}', 'config.yaml': 'a: 1', 'docs/a.md': 'a' }],
  ['folders', { 'a/config.json': '{}', 'b/config.yaml': '', 'a/a.md': 'a', 'b/a.md': 'a' }],
  ['mkdocs', { 'mkdocs.yml': '', 'zensical.toml': '', 'docs/a.md': 'a' }],
])('%s is detected from sibling configurations, without a warning', async (name, files) => {
  const outline = await readFiles(files as unknown as Record<string, string>);

  expect(outline.convention.name).toBe(name);
  expect(outline.messages.filter((line) => !line.startsWith('skipped'))).toEqual([]);
});

test('imports redirects whose source is a path of the site, and reports others', async () => {
  const outline = await readFiles({
    '_config.yml': 'title: x\n',
    'a.md': "---\nredirect_from: [old/, https://example.com/x, '/a b', /all/*, '/[...slug]', /]\n---\n",
  });

  expect(outline.redirects.map(({ source }) => source)).toEqual(['/old', '/a%20b', '/all/*']);
  expect(outline.messages.filter((line) => line.includes('its source is not a single path'))).toHaveLength(3);
});

test('ignores GitBook files when it detects the convention of a site, but still reads them', async () => {
  const outline = await readFiles({
    'mkdocs.yml': 'nav:\n  - index.md\n',
    'docs/index.md': '{% include "../.gitbook/includes/part.md" %}\n',
    '.gitbook/includes/part.md': '# Part\n',
    '.gitbook/vars.yaml': 'product: Kettle\n',
  });

  expect(outline.convention.name).toBe('mkdocs');
  expect(outline.tree).toEqual(['~docs docs/index.md']);
  expect(outline.reusableContents.map(({ path }) => path)).toEqual(['.gitbook/includes/part.md']);
  expect(outline.variables).toEqual({ product: 'Kettle' });
});
