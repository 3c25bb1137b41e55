import { getTitle, readFrontmatter } from '@octavo/markdown';
import { type OutlineSource, readRepository, type WantedEntry } from '@octavo/outline';
import { expect, test } from 'vitest';
import { conventions, type Files } from '../../../test/cli/conventions.ts';
import { chooseFileNames } from './file-names.ts';
import { type Present, walkPresent } from './present.ts';
import type { Exported, SpaceContent } from './read-space.ts';
import { writePages } from './write-pages.ts';

const getSource = (files: Files): OutlineSource => ({
  name: 'docs',
  paths: Object.keys(files),
  getSize: (path) => Buffer.from(files[path] ?? '').length,
  read: async (path) => Buffer.from(files[path] ?? ''),
});

/** Returns the pages that an import creates from entries. */
function importEntries(entries: readonly WantedEntry[], parent?: Present): Present[] {
  return entries.map((wantedEntry, index) => {
    const file = wantedEntry.kind === 'page' ? wantedEntry.file : undefined;
    const title =
      wantedEntry.kind === 'page'
        ? (readFrontmatter(file?.text ?? '').values.title ??
          wantedEntry.title ??
          getTitle(file?.text ?? '') ??
          wantedEntry.fallbackTitle)
        : wantedEntry.title;
    const present: Present = {
      id: `${parent?.id ?? 'page'}-${index}`,
      kind: wantedEntry.kind,
      title,
      parent,
      index,
      children: [],
      slug: wantedEntry.kind === 'link' ? '' : wantedEntry.slug,
      path: '',
      hidden: wantedEntry.kind === 'page' && wantedEntry.hidden === true,
      hasDocument: file !== undefined,
      ...(file && { git: { oid: 'known', path: file.path } }),
    };
    present.children = importEntries(wantedEntry.children, present);
    return present;
  });
}

/** Imports a repository as the content of a space that tests can change and export. */
async function getSpace(files: Files) {
  const { roots, outputLocations: places } = await readRepository(getSource(files));
  const pages = importEntries(roots);
  const content: SpaceContent = {
    ...{ space: 'spc', revision: 'rev', files: [], reusableContents: [], variables: {} },
    ...{ pages, outputLocations: places, names: new Map(), deletedPaths: new Map() },
  };
  const texts = new Map([...walkPresent(pages)].map(({ id, git }) => [id, String(files[git?.path ?? ''] ?? '')]));
  const add = (title: string, text: string, fields: Partial<Present> = {}) => {
    const id = `new-${pages.length}`;
    const slug = title.toLowerCase();
    const [index, kind] = [pages.length, 'page' as const];
    const plain = { parent: undefined, children: [], path: slug, hidden: false, hasDocument: true };
    pages.push({ id, kind, title, index, slug, ...plain, ...fields });
    texts.set(id, text);
  };
  const writeAll = async (target: Files) => {
    const present = chooseFileNames(pages, [], [], { outputLocations: places });
    const exportedPages = new Map<string, Exported>();
    for (const [id, path] of present) exportedPages.set(path, { text: texts.get(id) ?? '' });
    const texted = new Map([...texts].map(([id, text]) => [id, { text }]));
    const incomplete = await writePages(content, exportedPages, { texts: texted, present, target: getSource(target) });
    const out = Object.fromEntries([...exportedPages].map(([path, file]) => [path, 'text' in file ? file.text : '']));
    return { out, incomplete, present };
  };
  return { pages, places, texts, add, written: writeAll };
}

const all = Object.entries(conventions).map(([name, { files }]) => [name, files] as const);

test.each(all)('%s: writes unedited text byte for byte', async (_name, files) => {
  const { written } = await getSpace(files);
  for (const target of [{}, files]) {
    const { out, incomplete } = await written(target);
    for (const [path, text] of Object.entries(out)) expect([path, text]).toEqual([path, String(files[path])]);
    expect(incomplete).toEqual([]);
  }
});

test.each(all)('%s: writes titles and fields of Octavo into the files', async (_name, files) => {
  const { pages, places, add, written } = await getSpace(files);
  const start = [...walkPresent(pages)].find(({ title, kind }) => title === 'Start' && kind === 'page');
  if (start === undefined) throw new Error('no page');
  start.title = 'Begin: #1 *now*';
  start.fields = { description: 'Said: here', icon: 'book', noIndex: true };
  add('Bare', 'Words.\n', { fields: { description: 'New' } });
  add('Worded', '# Other\n');
  add('Headed', '# Headed\n\nWords.\n');

  const first = await written(files);
  const getText = (id: string) => first.out[first.present.get(id) ?? ''] ?? '';
  const readTitle = (text: string) => readFrontmatter(text).values.title ?? getTitle(text);
  for (const { id, title } of [start, ...pages.slice(-3)]) expect(readTitle(getText(id))).toBe(title);
  expect(readFrontmatter(getText(start.id)).values).toMatchObject(start.fields);
  expect(getText(start.id)).toMatch(/\n\nNo final newline$/);
  for (const page of pages.slice(-3))
    expect(readFrontmatter(getText(page.id)).values.title).toBe(
      places.titles === 'frontmatter' ? page.title : undefined,
    );
  expect(getText(pages.at(-2)?.id ?? '')).toContain('# Other\n');
  expect(first.incomplete).toEqual([]);

  const second = await written({ ...files, ...first.out });
  expect(second.out).toEqual(first.out);
});

test("changes and removes fields in the file's style, and reports fields that this style cannot express", async () => {
  const files = {
    'a.md':
      '---\n# why\ndescription: "One" # here\nicon: x\nlayout:\n  title:\n    visible: false\nweight: 1\n---\n# A\n',
    'b.md': '---\nlayout: home\nhidden: true\nslug: own\n---\n# B\n',
    'c.md': '---\ntitle: C\nsidebar_label: See\ncover: img/c.png\ncoverY: 3\n---\n\n# C\n',
  };
  const { pages, written } = await getSpace(files);
  const [a, b, c] = pages as [Present, Present, Present];
  const { defaultPageLayout } = await import('@octavo/schema');
  a.fields = { description: 'Two', layout: { ...defaultPageLayout, outline: false } };
  Object.assign(b, { hidden: false, slug: 'other', fields: { layout: { ...defaultPageLayout, width: 'wide' } } });
  Object.assign(c, { title: 'Sea', fields: { cover: { ref: { kind: 'url', url: 'img/c.png' }, yPos: 0 } } });
  const { out, incomplete } = await written({});
  expect(out).toEqual({
    'a.md': '---\n# why\ndescription: "Two" # here\nlayout:\n  outline: false\nweight: 1\n---\n# A\n',
    'b.md': '---\nlayout: home\nslug: other\n---\n# B\n',
    'c.md': '---\ntitle: Sea\nsidebar_label: See\ncover: img/c.png\n---\n\n# Sea\n',
  });
  expect(incomplete).toEqual([{ path: 'b.md', message: expect.stringContaining('layout.width') }]);
});
