import { type OutlineSource, readRepository } from '@octavo/outline';
import { type Page, PageTitle } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsAsync } from '../../../test/support/random.ts';
import { chooseFileNames } from './file-names.ts';
import { matchPages } from './match.ts';
import { planImport } from './plan-steps.ts';
import { presentTree, walkPresent } from './present.ts';
import { definesTree } from './shared-files.ts';
import { writeTreeSummary } from './tree-summary.ts';

interface Shape {
  kind: 'file' | 'plain' | 'empty' | 'url' | 'group' | 'to-page';
  title: string;
  slug: string;
  git: string;
  text: string;
  hidden: boolean;
  children: Shape[];
}

const title = fc
  .oneof(
    fc.constantFrom('Intro', '# [x](y)', '`code` | pipe', ' a  b ', '目次', '<!-- hidden -->', '<!-- end of part -->'),
    fc.string({ minLength: 1, unit: 'binary' }),
  )
  .filter((text) => PageTitle.safeParse(text).success);
const part = fc.constantFrom(
  'a',
  'A',
  'b c',
  'é',
  '..',
  'con',
  'README',
  'index',
  '100%',
  'x#y',
  'SUMMARY',
  '.git',
  'a:b',
);
const git = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom('.md', '', '.txt', '.MD'))
  .map(([parts, extension]) => parts.join('/') + extension);
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    kind: fc.constantFrom('file', 'plain', 'empty', 'url', 'group', 'to-page'),
    title,
    slug: fc.constantFrom('a', 'b', 'intro', 'con', 'page'),
    git,
    text: fc.constantFrom('', '# Intro\n', '---\ntitle: Other\nhidden: true\n---\r\n', 'no heading', '\ufeff# é'),
    hidden: fc.boolean(),
    children: fc.oneof({ maxDepth: 3 }, fc.constant<Shape[]>([]), fc.array(tie('shape'), { maxLength: 3 })),
  }),
}));

/** Returns the page list of a server, and the page texts. */
function serve(shapes: Shape[]) {
  const texts = new Map<string, string>();
  let count = 0;
  const build = (list: Shape[], parent: string, isBelowHidden = false): unknown[] => {
    const slugs = new Set<string>();
    return list.map((each) => {
      count += 1;
      const id = `pg_${count}`;
      let { slug } = each;
      for (let number = 2; slugs.has(slug); number += 1) slug = `${each.slug}-${number}`;
      slugs.add(slug);
      const path = parent === '' ? slug : `${parent}/${slug}`;
      if (each.kind === 'url') return { id, type: 'link', title: each.title, target: { kind: 'url', url: each.git } };
      if (each.kind === 'to-page')
        return { id, type: 'link', title: each.title, target: { kind: 'page', page: 'pg_1' } };
      if (each.kind === 'group' && parent === '') {
        return { id, type: 'group', title: each.title, slug, path, pages: build(each.children, path) };
      }
      const hasText = each.kind === 'file' || (each.kind === 'plain' && each.text !== '');
      if (hasText) texts.set(id, each.text);
      const hidden = isBelowHidden || (hasText && /^hidden: true$/m.test(each.text)) || each.hidden;
      return {
        ...{ id, type: 'document', title: each.title, slug, path, hidden },
        ...(hasText && { documentId: id }),
        ...(each.kind === 'file' && { git: { oid: '', path: each.git } }),
        pages: build(each.children, path, hidden),
      };
    });
  };
  return { pages: build(shapes, '') as Page[], texts };
}

function getFolder(files: Map<string, string>): OutlineSource {
  const bytes = (path: string) => new TextEncoder().encode(files.get(path));
  return {
    name: 'x',
    paths: [...files.keys()],
    getSize: (path) => bytes(path).length,
    read: async (path) => bytes(path),
  };
}

test('importing an unchanged export plans no changes', async () => {
  await holdsAsync(
    fc.asyncProperty(fc.array(shape, { maxLength: 5 }), async (shapes) => {
      const { pages, texts } = serve(shapes);
      const present = presentTree(pages);
      const names = chooseFileNames(present, []);
      const files = new Map([...names].map(([id, path]) => [id, { path, text: texts.get(id) ?? '' }]));
      const paths = new Set([...files.values()].map(({ path }) => path));
      const summary = writeTreeSummary(present, files, { formerText: '', folder: '', paths });
      const folder = new Map([...files.values()].map(({ path, text }) => [path, text]));
      expect(new Set([...folder.keys()].map((path) => path.toLowerCase())).size).toBe(names.size);
      const tree = await readRepository(getFolder(folder.set('SUMMARY.md', summary)));
      expect(tree.problems).toEqual([]);
      const matches = matchPages(tree.roots, present);
      const hasText = (page: { id: string }, expected: { file?: { text: string } }) =>
        texts.get(page.id) === expected.file?.text;
      const comparer = { hasText, hasLinks: () => true };
      expect(
        planImport(tree.roots, matches, comparer).map(({ entry: expected, present: _, ...step }) => ({
          ...step,
          wanted: expected.kind,
        })),
      ).toEqual([]);
      expect(matches.size).toBe([...walkPresent(present)].length);
      expect(definesTree(tree.roots, { pages: present, names, paths })).toBe(true);
    }),
    { numRuns: 1500 },
  );
});
