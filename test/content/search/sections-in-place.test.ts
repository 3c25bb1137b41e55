import { expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

const server = platform();

interface Section {
  id: number;
  ordinal: number;
  body: string;
}

const readSections = (page: string) =>
  readPast<Section>(
    server.dataDir,
    'SELECT id, ordinal, body FROM search_sections WHERE page = ? ORDER BY ordinal',
    page,
  );

const titlesFor = async (space: SpaceClient, words: string) =>
  (await space.ok<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title);

const isFound = (space: SpaceClient, words: string) =>
  until(async () => ((await titlesFor(space, words)).length > 0 ? true : undefined));

/** Fails if an index does not match the sections. */
async function checkIndexes(): Promise<void> {
  for (const index of ['search_index', 'search_index_titles', 'search_index_headings'])
    await writePast(server, `INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
}

const text = (sections: string[]) => sections.map((body, index) => `## Part ${index}\n\n${body}\n`).join('\n');

async function edit(space: SpaceClient, page: string, sections: string[], found: string): Promise<Section[]> {
  await space.change([{ operation: 'update_page', page, document: { markdown: text(sections) } }]);
  await isFound(space, found);
  return readSections(page);
}

test('an edit updates only the changed sections of a page', async () => {
  const space = getClient(server, await server.makeSpace());
  const [page = ''] = await space.change([
    insertPage('Birds', { document: { markdown: text(['a heron', 'a stork', 'a crane']) } }),
  ]);
  await isFound(space, 'crane');
  const before = readSections(page);

  const after = await edit(space, page, ['a heron', 'a bittern', 'a crane'], 'bittern');

  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.map(({ body }) => body)).toEqual(['a heron', 'a bittern', 'a crane']);
  expect(await titlesFor(space, 'stork')).toEqual([]);
  expect(await titlesFor(space, 'heron')).toEqual(['Birds']);
  await checkIndexes();
});

test('adds and removes sections at the end of a page, and finds a changed heading', async () => {
  const space = getClient(server, await server.makeSpace());
  const [page = ''] = await space.change([
    insertPage('Fish', { document: { markdown: text(['a trout', 'a perch', 'a carp']) } }),
  ]);
  await isFound(space, 'carp');
  const [first, , third] = readSections(page);

  const fewer = await edit(space, page, ['a trout', 'a roach'], 'roach');
  expect(fewer.map(({ body }) => body)).toEqual(['a trout', 'a roach']);
  expect(fewer[0]).toEqual(first);
  expect(await titlesFor(space, 'carp')).toEqual([]);

  const more = await edit(space, page, ['a trout', 'a roach', 'a bream', 'an eel'], 'bream');
  expect(more.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3]);
  expect(more.map(({ id }) => id)).not.toContain(third?.id);

  await space.change([
    {
      operation: 'update_page',
      page,
      title: 'Lake',
      document: { markdown: text(['a trout']).replace('Part', 'Deep') },
    },
  ]);
  await isFound(space, 'deep');
  expect(await titlesFor(space, 'fish')).toEqual([]);
  expect(await titlesFor(space, 'lake')).toEqual(['Lake']);
  expect(await titlesFor(space, 'part')).toEqual([]);
  await checkIndexes();
});

test('moves a section that is out of order in the index', async () => {
  const space = getClient(server, await server.makeSpace());
  const [page = ''] = await space.change([insertPage('Old', { document: { markdown: text(['a newt', 'a toad']) } })]);
  await isFound(space, 'toad');
  await writePast(server, 'DELETE FROM search_sections WHERE page = ? AND ordinal = 1', page);
  await writePast(
    server,
    `INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body)
      SELECT (SELECT MIN(id) FROM search_sections) - 1, space, organization, page, 1, 'part-1', '', 'Part 1', 'a toad'
      FROM search_sections WHERE page = ?`,
    page,
  );

  const after = await edit(space, page, ['a frog', 'a toad'], 'frog');

  expect(after.map(({ id, ordinal }) => Math.floor(id / 2 ** 32) === ordinal)).toEqual([true, true]);
  await checkIndexes();
});
