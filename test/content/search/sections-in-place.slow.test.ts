import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { queueJob, resumeJobs } from '../retention/trash.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { mergeIndex, readIndexedPages } from './stored-index.ts';

const server = platform();

/** Maximum number of rows that indexing writes for an edit of one section, including the rows of its event. */
const rowsPerEdit = 10;
/** Maximum number of rows that indexing writes for each page of a copy, in which no text is new. */
const rowsPerCopiedPage = 0.5;

const searchTitles = async (space: SpaceClient, words: string) =>
  (await space.callJson<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title);

const isFound = (space: SpaceClient, words: string) =>
  until(async () => ((await searchTitles(space, words)).length > 0 ? true : undefined));

const readEntries = ({ organization }: TestSpace, page: string) =>
  readIndexedPages(server, organization).filter((each) => each.page === page);

const createText = (sections: string[]) => sections.map((body, index) => `## Part ${index}\n\n${body}\n`).join('\n');

const waitUntilIdle = ({ organization }: Pick<TestSpace, 'organization'>) =>
  until(
    () =>
      queryDatabase(server.dataDir, 'SELECT id FROM outbox WHERE organization = ? AND done_at IS NULL', organization)
        .length === 0 || undefined,
  );

interface Handled {
  event: string;
  /** The number of events that were handled together, if several. */
  events?: number;
  rowsWritten: number;
}

/**
 * Waits until all events of a type and space are handled, and returns the rows that were written for them. A log line
 * is written shortly after an event is handled.
 */
async function countWrites({ id, organization }: TestSpace, type: string): Promise<number> {
  await waitUntilIdle({ organization });
  const events = queryDatabase<{ id: string }>(
    server.dataDir,
    'SELECT id FROM outbox WHERE space = ? AND type = ?',
    id,
    type,
  );
  const ids = new Set(events.map((event) => event.id));
  const handled = await until(() => {
    const lines = readLogLines<Handled>(server.dataDir, '"event handled"').filter(({ event }) => ids.has(event));
    return lines.reduce((sum, { events = 1 }) => sum + events, 0) >= ids.size ? lines : undefined;
  });
  return handled.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
}

/** Returns the rows that an action causes indexing to write. */
async function getWrites(space: TestSpace, type: string, action: () => Promise<unknown>): Promise<number> {
  const before = await countWrites(space, type);
  await action();
  return (await countWrites(space, type)) - before;
}

const writeText = (page: string, sections: string[]) => ({
  operation: 'update_page',
  page,
  document: { markdown: createText(sections) },
});

const long = 'long '.repeat(500);

test('an edit writes a limited number of rows, and no rows of other pages', async () => {
  const owner = await server.makeSpace();
  const space = getClient(server, owner);
  const [page = '', ...others] = await space.change([
    insertPage('Birds', { document: { markdown: createText(['a heron', 'a stork', 'a crane']) } }),
    ...Array.from({ length: 45 }, (_, n) =>
      insertPage(`Beside ${n}`, { document: { markdown: createText([long, long]) } }),
    ),
  ]);
  await waitUntilIdle(owner);
  const readOtherEntries = () =>
    readIndexedPages(server, owner.organization)
      .filter((each) => others.includes(each.page))
      .map(({ segment: _, number: __, ...entry }) => entry);
  const before = readOtherEntries();
  expect(before).toHaveLength(45);

  const ofSmall = await getWrites(owner, 'content.changed', () =>
    space.change([writeText(page, ['a heron', 'a bittern', 'a crane'])]),
  );
  expect(ofSmall).toBeLessThanOrEqual(rowsPerEdit);
  expect(readEntries(owner, page).map(({ sections }) => sections.map((each) => each.text))).toEqual([
    ['a heron', 'a bittern', 'a crane'],
  ]);
  expect(await searchTitles(space, 'bittern')).toEqual(['Birds']);
  expect(await searchTitles(space, 'stork')).toEqual([]);
  expect(await searchTitles(space, 'heron')).toEqual(['Birds']);

  const ofLarge = await getWrites(owner, 'content.changed', () =>
    space.change([
      writeText(
        page,
        Array.from({ length: 100 }, (_, n) => long + n),
      ),
    ]),
  );
  expect(ofLarge).toBeLessThanOrEqual(100 / 2);
  expect(readOtherEntries()).toEqual(before);
});

test('indexing unchanged pages writes only the version of the index', async () => {
  const owner = await server.makeSpace();
  const space = getClient(server, owner);
  await space.change(Array.from({ length: 30 }, (_, n) => insertPage(`Page ${n}`)));
  await waitUntilIdle(owner);
  const getIndex = () =>
    queryDatabase(server.dataDir, 'SELECT * FROM search_segments WHERE organization = ?', owner.organization);
  const before = getIndex();

  const countIndexJobs = () =>
    queryDatabase(server.dataDir, "SELECT id FROM outbox WHERE space = ? AND type = 'index_space'", owner.id).length;
  const known = countIndexJobs();
  const written = await getWrites(owner, 'index_space', async () => {
    await queueJob(server, owner.id, { type: 'index_space', data: {} });
    await resumeJobs(server);
  });

  expect(getIndex()).toEqual(before);
  expect(countIndexJobs() - known).toBe(2);
  // Each of the two steps settles its event and increases the version. The first step also queues the second one.
  expect(written).toBeLessThanOrEqual(2 * 6);
});

test('duplicating a space writes few rows, and copies no texts', async () => {
  const owner = await server.makeSpace();
  const space = getClient(server, owner);
  const pages = Array.from({ length: 50 }, (_, n) =>
    insertPage(`Page ${n}`, {
      document: { markdown: createText(Array.from({ length: 20 }, (__, each) => `${long}${n}-${each}`)) },
    }),
  );
  await space.change(pages);
  await waitUntilIdle(owner);
  const countTexts = (keys: string[]) =>
    queryDatabase<{ parts: number }>(
      server.dataDir,
      'SELECT COUNT(*) AS parts FROM search_texts WHERE key IN (SELECT value FROM json_each(?))',
      JSON.stringify(keys),
    )[0]?.parts;
  const readKeys = (id: string) =>
    readIndexedPages(server, owner.organization)
      .filter((each) => each.space === id)
      .map(({ key }) => key)
      .sort();
  const keys = readKeys(owner.id);
  expect(countTexts(keys)).toBe(50 * Math.ceil(20 / 8));

  const path = `/v1/spaces/${owner.id}/duplicate`;
  const { id } = await json<{ id: string }>(path, { token: owner.token, method: 'POST' }, server);

  expect(await countWrites({ ...owner, id }, 'index_space')).toBeLessThanOrEqual(50 * rowsPerCopiedPage);
  expect(readKeys(id)).toEqual(keys);
  expect(countTexts(keys)).toBe(50 * Math.ceil(20 / 8));
  const { count } = await getClient(server, { ...owner, id }).callJson<{ count: number }>(
    '/search?query=long&limit=100',
  );
  expect(count).toBe(50);
});

test('adds and removes sections at the end of a page, and finds a changed heading', async () => {
  const owner = await server.makeSpace();
  const space = getClient(server, owner);
  const [page = ''] = await space.change([
    insertPage('Fish', { document: { markdown: createText(['a trout', 'a perch', 'a carp']) } }),
  ]);
  await isFound(space, 'carp');
  const readTextsAfterEdit = async (sections: string[], words: string) => {
    await space.change([writeText(page, sections)]);
    await isFound(space, words);
    return readEntries(owner, page).map((entry) => entry.sections.map((each) => each.text));
  };

  expect(await readTextsAfterEdit(['a trout', 'a roach'], 'roach')).toEqual([['a trout', 'a roach']]);
  expect(await searchTitles(space, 'carp')).toEqual([]);

  const more = ['a trout', 'a roach', 'a bream', 'an eel'];
  expect(await readTextsAfterEdit(more, 'bream')).toEqual([more]);

  const markdown = createText(['a trout']).replace('Part', 'Deep');
  await space.change([{ operation: 'update_page', page, title: 'Lake', document: { markdown } }]);
  await isFound(space, 'deep');
  expect(await searchTitles(space, 'fish')).toEqual([]);
  expect(await searchTitles(space, 'lake')).toEqual(['Lake']);
  expect(await searchTitles(space, 'part')).toEqual([]);
});

test('many edits of a page leave one entry of it, in a limited number of segments', async () => {
  const owner = await server.makeSpace();
  const space = getClient(server, owner);
  const [page = ''] = await space.change([insertPage('Amphibians', { document: { markdown: 'a newt' } })]);
  for (let edit = 0; edit < 20; edit += 1) {
    await space.change([{ operation: 'update_page', page, document: { markdown: `toad no${edit}` } }]);
    await waitUntilIdle(owner);
  }

  expect(await searchTitles(space, 'no19')).toEqual(['Amphibians']);
  for (const words of ['newt', 'no0', 'no18']) expect([words, await searchTitles(space, words)]).toEqual([words, []]);
  const segments = queryDatabase(
    server.dataDir,
    'SELECT id FROM search_segments WHERE organization = ?',
    owner.organization,
  );
  expect(segments.length).toBeLessThan(8);
  const { header } = await mergeIndex(server, owner.organization);
  expect([header.pages, header.sections]).toEqual([1, 1]);
});
