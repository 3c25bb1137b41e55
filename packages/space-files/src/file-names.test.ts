import { type OutlineSource, readOutputLocations } from '@octavo/outline';
import type { Page } from '@octavo/schema';
import { expect, test } from 'vitest';
import { chooseFileNames, makeTargetsRelative } from './file-names.ts';
import { presentTree } from './present.ts';

interface Shape {
  slug: string;
  git?: string;
  type?: 'document' | 'group';
  pages?: Shape[];
}

/** Creates a page list like that of a server. Each page's id is its path. Pages without text have no file. */
const createPages = (shapes: Shape[], above = ''): Page[] =>
  shapes.map(({ slug, git, type = 'document', pages = [] }) => {
    const path = above + slug;
    const file = git === undefined ? {} : { git: { oid: '', path: git } };
    const text = slug.startsWith('no-text') ? {} : { documentId: path };
    const own = type === 'group' ? {} : { ...text, ...file };
    return {
      id: path,
      type,
      title: slug,
      slug,
      path,
      ...own,
      pages: createPages(pages, `${path}/`),
    } as unknown as Page;
  });

const getSource = (files: Record<string, string>): OutlineSource => ({
  name: '',
  paths: Object.keys(files),
  getSize: (path) => files[path]?.length ?? 0,
  read: async (path) => new TextEncoder().encode(files[path]),
});

const chooseNames = async (files: Record<string, string>, shapes: Shape[]) =>
  Object.fromEntries(
    chooseFileNames(presentTree(createPages(shapes)), [], [], {
      outputLocations: await readOutputLocations(getSource(files)),
    }),
  );

test('places a new page next to the files of its parent or siblings, also for numbered files, groups and empty pages', async () => {
  const files = {
    'docusaurus.config.js': "module.exports = { presets: [['classic', {}]] };",
    'docs/01-guide/01-guide.md': '',
  };
  const names = await chooseNames(files, [
    { slug: 'guide', git: 'docs/01-guide/01-guide.md', pages: [{ slug: 'new', pages: [{ slug: 'inner' }] }] },
    { slug: 'no-text', pages: [{ slug: 'a', git: 'docs/02-more/a.md' }, { slug: 'b' }] },
    { slug: 'part', type: 'group', pages: [{ slug: 'c', git: 'docs/03-c/index.md' }, { slug: 'd' }] },
    { slug: 'others', type: 'group', pages: [{ slug: 'e', git: 'blog/e.md' }, { slug: 'f' }] },
    { slug: 'flat', git: 'docs/flat.md', pages: [{ slug: 'no-text', pages: [{ slug: 'g' }] }] },
  ]);
  expect(names).toMatchObject({
    'guide/new': 'docs/01-guide/new/index.md',
    'guide/new/inner': 'docs/01-guide/new/inner.md',
    'no-text/b': 'docs/02-more/b.md',
    'part/d': 'docs/d.md',
    'others/f': 'docs/others/f.md',
    'flat/no-text/g': 'docs/flat/no-text/g.md',
  });
});

test('numbers duplicate file names, and never leaves the folder or enters .git', async () => {
  const names = await chooseNames({ 'mkdocs.yml': 'docs_dir: .git/../../x', 'x.md': '' }, [
    { slug: '..', pages: [{ slug: '.git' }] },
    { slug: 'a', git: 'a.md' },
    { slug: 'A' },
    { slug: 'summary' },
  ]);
  expect(Object.values(names).sort()).toEqual(['A-1.md', 'README.md', '_git.md', 'a.md', 'summary-1.md'].sort());
});

test('links to static files by their address on the site, and to pages by their file path', async () => {
  const { servedFolder: served } = await readOutputLocations(
    getSource({ 'astro.config.mjs': "export default { base: 'b' }", 'src/content/docs/a.md': '' }),
  );
  const paths = new Map([
    ['f', 'public/an image.png'],
    ['p', 'src/content/docs/deep/b.md'],
    ['q', 'public/c.md'],
  ]);
  const text = '![](/files/f) [b](/pages/p#x) [c](/pages/q)\n';
  expect(makeTargetsRelative({ text, path: 'src/content/docs/a.md' }, { paths, servedPaths: served })).toBe(
    '![](/b/an%20image.png) [b](deep/b.md#x) [c](../../../public/c.md)\n',
  );
});

test('keeps the link to a deleted page that was moved if the old path now belongs to another page', () => {
  const page = { text: '[b](b.md) [c](c.md)\n', path: 'a.md', links: { 'b.md': 'p', 'c.md': 'q' } };
  const paths = { paths: new Map([['other', 'b.md']]), deletedPaths: new Map([...'pq'].map((id) => [id, 'moved.md'])) };
  expect(makeTargetsRelative(page, paths)).toBe('[b](b.md) [c](moved.md)\n');
});
