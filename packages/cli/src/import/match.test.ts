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

const page = (name: string) =>
  ({
    id: name,
    type: 'document',
    title: name,
    slug: name,
    path: name,
    git: { path: `${name}.md`, oid: '' },
    pages: [],
  }) as unknown as Page;
const group = (id: string, title: string, names: string) =>
  ({ id, type: 'group', title, slug: id, path: id, pages: [...names].map(page) }) as unknown as Page;

const present = presentTree([group('one', 'One', 'ab'), group('two', 'Two', 'cde')]);

/** Maps each heading of a summary to the group that it is matched to. */
async function getGroups(summary: string): Promise<Record<string, string | undefined>> {
  const { roots } = await readRepository(getSource(`# Summary\n\n${summary}`));
  const matches = matchPages(roots, present);
  const groups = roots.filter(({ kind }) => kind === 'group');
  return Object.fromEntries(groups.map((each) => [each.title ?? '', matches.get(each)?.id]));
}

const section = (title: string, names: string): string =>
  `## ${title}\n\n${[...names].map((name) => `* [${name}](${name}.md)\n`).join('')}\n`;

test('matches a renamed group to the former group of most of its pages, unless another group has that title', async () => {
  const cases: [string, Record<string, string | undefined>][] = [
    [section('First', 'ab') + section('Two', 'cde'), { First: 'one', Two: 'two' }],
    [section('Second', 'cde') + section('First', 'ab'), { First: 'one', Second: 'two' }],
    [section('Mixed', 'acd') + section('Rest', 'be'), { Mixed: 'two', Rest: 'one' }],
    // A match by title takes precedence over a match by the pages below the heading.
    [section('Two', 'ab') + section('New', 'cde'), { Two: 'two', New: undefined }],
    [section('One', 'ab') + section('Two', 'c') + section('New', 'de'), { One: 'one', Two: 'two', New: undefined }],
  ];
  for (const [summary, groups] of cases) expect(await getGroups(summary)).toEqual(groups);
});
