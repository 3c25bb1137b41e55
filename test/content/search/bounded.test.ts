import { beforeAll, expect, test } from 'vitest';
import { edit, json, makePage, searchSpace } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';
import { readIndexedPages } from './stored-index.ts';

const english = 'the page tells how the words of the text are found. ';

/** Texts that used to be slow to search, by page title. */
const texts: Record<string, string> = {
  Repeated: 'word '.repeat(1000),
  English: english.repeat(200_000 / english.length),
  Short: 'a b c d '.repeat(100_000 / 8),
  Heading: `## ${'the heading '.repeat(2000)}\n\nIts text.`,
  Chinese: '日本語'.repeat(5000),
};

let space: TestSpace;
beforeAll(async () => {
  space = await platform().makeSpace();
  for (const [title, text] of Object.entries(texts)) await makePage(space, title, text);
  await makePage(space, 'Other', 'the last word: a 日本語 page');
  await waitUntilIndexed(space);
});

/** Waits until no indexing job of the space is left. */
const waitUntilIndexed = ({ id }: TestSpace) =>
  until(() => query('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', id).length === 0 || undefined);

const getTitles = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title).sort();

/** Searches the space and the organization, and checks that both find the same titles. */
async function findTitles(words: string): Promise<string[]> {
  const { items } = await searchOrganization({ id: space.organization, token: space.token }, words);
  const titles = getTitles(await searchSpace(space, words));
  expect(getTitles({ items: items.flatMap(({ pages }) => pages) })).toEqual(titles);
  return titles;
}

test('limits the length of each section in the index, whatever a page contains', () => {
  const sections = readIndexedPages(platform(), space.organization).flatMap((page) => page.sections);
  const longest = Math.max(...sections.map(({ text }) => text.length));
  const longestHeading = Math.max(...sections.map(({ heading }) => heading.length));

  expect([longest > 2000, longest <= 3000]).toEqual([true, true]);
  expect([longestHeading > 400, longestHeading <= 500]).toEqual([true, true]);
});

test.each([
  ['word '.repeat(32), ['English', 'Other', 'Repeated']],
  ['the '.repeat(32), ['English', 'Heading', 'Other']],
  ['a* '.repeat(170), ['Other', 'Short']],
  ['日本語', ['Chinese', 'Other']],
  ['日本語'.repeat(100), ['Chinese', 'Other']],
  ['日', ['Chinese', 'Other']],
])('a search for %j finds its matches inside and next to long pages', async (words, expected) => {
  expect(await findTitles(words)).toEqual(expected);
});

test('ranks a page higher if it has more of the pairs of characters', async () => {
  const { items } = await searchSpace(space, '日本語'.repeat(100));

  expect(items.map(({ title }) => title)).toEqual(['Chinese', 'Other']);
});

test('searches for the first ten distinct words besides stop words', async () => {
  const repeated = 'zero two three four five six seven eight nine '.repeat(4);

  expect(await findTitles(`the of ${repeated} last page`)).toEqual(['Other']);
  expect(await findTitles(`the of ${repeated} ten last page`)).toEqual([]);
});

test('searches for prefixes of at least two letters, and for a single letter as a word', async () => {
  expect(await findTitles('w')).toEqual([]);
  expect(await findTitles('wo')).toEqual(['English', 'Other', 'Repeated']);
  expect(await findTitles('a')).toEqual(['Other', 'Short']);
});

test('finds a word by each of its prefixes, and no other words', async () => {
  const marked = await platform().makeSpace();
  await edit(
    marked,
    ['watermelon', 'waterfall', 'marker-uniqueword123', 'marker-uniqueword124'].map((word, index) => ({
      operation: 'insert_page',
      title: `Page ${index}`,
      document: { markdown: `The ${word} text.` },
    })),
  );
  const searchTitles = async (words: string) => getTitles(await searchSpace(marked, words));
  await waitUntilIndexed(marked);

  for (let length = 2; length <= 'watermelon'.length; length += 1) {
    const words = 'watermelon'.slice(0, length);
    expect([words, await searchTitles(words)]).toEqual([words, length <= 5 ? ['Page 0', 'Page 1'] : ['Page 0']]);
  }
  expect(await searchTitles('uniqueword123')).toEqual(['Page 2']);
  expect(await searchTitles('uniqueword12')).toEqual(['Page 2', 'Page 3']);
  expect(await searchTitles('uniqueword12 ')).toEqual(['Page 2', 'Page 3']);
  expect(await searchTitles('uniqueword987')).toEqual([]);
});

test('limits a response to a hundred pages and about a hundred sections, and returns the next page', async () => {
  const many = await platform().makeSpace();
  for (let batch = 0; batch < 3; batch += 1) {
    const sections = Array.from({ length: 6 }, (_, part) => `## Part ${part}\n\nthe otter\n`).join('\n');
    await edit(
      many,
      Array.from({ length: 40 }, (_, index) => ({
        operation: 'insert_page',
        title: `Page ${batch}.${index}`,
        document: { markdown: sections },
      })),
    );
  }
  type Results = Awaited<ReturnType<typeof searchSpace>>;
  const path = `/v1/spaces/${many.id}/search?query=otter&limit=1000`;
  await waitUntilIndexed(many);
  const first = await json<Results>(path, { token: many.token });
  const second = await json<Results>(`${path}&page=${first.next?.page}`, { token: many.token });

  expect([first.count, second.count, second.next]).toEqual([100, 20, undefined]);
  const countSections = ({ items }: Results) => items.flatMap(({ sections }) => sections ?? []).length;
  expect([countSections(first), countSections(second) <= 100]).toEqual([100, true]);
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(120);
});
