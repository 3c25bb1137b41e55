import { type OutlineSource, readRepository } from '@octavo/outline';
import type { Page } from '@octavo/schema';
import { expect, test } from 'vitest';
import { matchPages } from './match.ts';
import { presentTree } from './present.ts';

const getSource = (summary: string): OutlineSource => ({
  name: 'book',
  paths: ['SUMMARY.md', 'a.md', 'b.md', 'c.md', 'd.md', 'e.md'],
  getSize: () => 10,
  read: async (path) => Buffer.from(path === 'SUMMARY.md' ? summary : `# ${path}\n`),
});

const createPage = (name: string) =>
  ({
    id: name,
    type: 'document',
    title: name,
    slug: name,
    path: name,
    git: { path: `${name}.md`, oid: '' },
    pages: [],
  }) as unknown as Page;
const createGroup = (id: string, title: string, names: string) =>
  ({ id, type: 'group', title, slug: id, path: id, pages: [...names].map(createPage) }) as unknown as Page;

const present = presentTree([createGroup('one', 'One', 'ab'), createGroup('two', 'Two', 'cde')]);

/** Maps each heading of a summary to the group that it is matched to. */
async function getGroups(summary: string): Promise<Record<string, string | undefined>> {
  const { roots } = await readRepository(getSource(`# Summary\n\n${summary}`));
  const matches = matchPages(roots, present);
  const groups = roots.filter(({ kind }) => kind === 'group');
  return Object.fromEntries(groups.map((each) => [each.title ?? '', matches.get(each)?.id]));
}

const createSection = (title: string, names: string): string =>
  `## ${title}\n\n${[...names].map((name) => `* [${name}](${name}.md)\n`).join('')}\n`;

test('matches a renamed group to the former group of most of its pages, unless another group has that title', async () => {
  const cases: [string, Record<string, string | undefined>][] = [
    [createSection('First', 'ab') + createSection('Two', 'cde'), { First: 'one', Two: 'two' }],
    [createSection('Second', 'cde') + createSection('First', 'ab'), { First: 'one', Second: 'two' }],
    [createSection('Mixed', 'acd') + createSection('Rest', 'be'), { Mixed: 'two', Rest: 'one' }],
    // A match by title takes precedence over a match by the pages below the heading.
    [createSection('Two', 'ab') + createSection('New', 'cde'), { Two: 'two', New: undefined }],
    [
      createSection('One', 'ab') + createSection('Two', 'c') + createSection('New', 'de'),
      { One: 'one', Two: 'two', New: undefined },
    ],
  ];
  for (const [summary, groups] of cases) expect(await getGroups(summary)).toEqual(groups);
});
