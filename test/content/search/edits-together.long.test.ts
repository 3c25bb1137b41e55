import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { queueJob } from '../retention/trash.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { clearIndex, readIndexedPages } from './stored-index.ts';

const server = platform();

interface Event {
  id: string;
  attempts: number;
  doneAt: number | null;
  error: string | null;
}

const getChanges = ({ space }: SpaceClient) =>
  queryDatabase<Event>(
    server.dataDir,
    "SELECT id, attempts, done_at AS doneAt, error FROM outbox WHERE type = 'content.changed' AND space = ? ORDER BY created_at",
    space,
  );

const waitUntilSettled = (space: SpaceClient) =>
  until(async () => (getChanges(space).every(({ doneAt }) => doneAt !== null) ? getChanges(space) : undefined));

const searchTitles = async (space: SpaceClient, words: string) =>
  (await space.callJson<{ items: { title: string }[] }>(`/search?query=${words}`)).items
    .map(({ title }) => title)
    .sort();

/** Delivers all events of a space again in one batch. */
async function deliverTogether({ space }: SpaceClient): Promise<void> {
  await writeDatabase(
    server,
    "UPDATE outbox SET done_at = NULL, attempts = 0, interruptions = 0, sent_at = 0 WHERE type = 'content.changed' AND space = ?",
    space,
  );
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
}

async function createEditedSpace(
  edits: number,
): Promise<{ organization: string; space: SpaceClient; pages: string[] }> {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  const pages = await space.change(['One', 'Two', 'Three'].map((title) => insertPage(title)));
  for (let edit = 0; edit < edits; edit += 1) {
    const page = pages[edit % pages.length] ?? '';
    await space.change([{ operation: 'update_page', page, document: { markdown: `no${edit} of a heron` } }]);
  }
  await waitUntilSettled(space);
  return { organization, space, pages };
}

test('indexes many waiting edits together, only in their final state', async () => {
  const { organization, space } = await createEditedSpace(30);
  await clearIndex(server, organization);

  await deliverTogether(space);

  const settled = await waitUntilSettled(space);
  expect(settled).toHaveLength(31);
  expect(settled.map(({ attempts }) => attempts)).toEqual(settled.map(() => 0));
  expect(new Set(settled.map(({ doneAt }) => doneAt)).size).toBe(1);
  expect(await searchTitles(space, 'heron')).toEqual(['One', 'Three', 'Two']);
  expect(await searchTitles(space, 'no29')).toEqual(['Three']);
  expect(await searchTitles(space, 'no26')).toEqual([]);
  const indexed = readIndexedPages(server, organization);
  expect([indexed.length, new Set(indexed.map(({ segment }) => segment)).size]).toEqual([3, 1]);
});

test('indexes the pages of many short edits together', async () => {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  for (let page = 0; page < 60; page += 1)
    await space.change([insertPage(`Page ${page}`, { document: { markdown: `no${page} of a heron` } })]);
  await waitUntilSettled(space);
  await clearIndex(server, organization);

  await deliverTogether(space);

  const settled = await waitUntilSettled(space);
  expect([settled.length, new Set(settled.map(({ doneAt }) => doneAt)).size]).toEqual([60, 1]);
  const indexed = readIndexedPages(server, organization);
  expect([indexed.length, new Set(indexed.map(({ segment }) => segment)).size]).toEqual([60, 1]);
  expect(await searchTitles(space, 'no59')).toEqual(['Page 59']);
});

test('indexes at most 25 pages together if their texts may include others', async () => {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  for (let page = 0; page < 30; page += 1)
    await space.change([insertPage(`Page ${page}`, { document: { markdown: `a heron {{ space.title }}` } })]);
  await waitUntilSettled(space);
  await clearIndex(server, organization);

  await deliverTogether(space);

  const changes = (await waitUntilSettled(space)).map(({ doneAt }) => doneAt);
  expect([...Map.groupBy(changes, (doneAt) => doneAt).values()].map(({ length }) => length).sort()).toEqual([25, 5]);
});

/** Indexes all pages of spaces again at the same time, and returns the number of round trips of each job. */
async function indexAgain(spaces: SpaceClient[]): Promise<number[]> {
  for (const { space } of spaces) await queueJob(server, space, { type: 'index_space', data: { anew: true } });
  const marks = spaces.map(() => '?').join();
  const jobs = queryDatabase<{ id: string }>(
    server.dataDir,
    `SELECT id FROM outbox WHERE type = 'index_space' AND done_at IS NULL AND space IN (${marks})`,
    ...spaces.map(({ space }) => space),
  );
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  return until(async () => {
    const lines = readLogLines<{ event: string; trips: number }>(server.dataDir, '"event handled"');
    const trips = lines.filter(({ event }) => jobs.some(({ id }) => id === event)).map((line) => line.trips);
    return trips.length === spaces.length ? trips : undefined;
  });
}

test('concurrent jobs that change the index of one organization do not start again', async () => {
  const organization = await server.makeOrganization();
  const newSpaces = await Promise.all(Array.from({ length: 4 }, () => server.makeSpace({ organization })));
  const spaces = newSpaces.map((each) => getClient(server, each));
  for (const space of spaces) {
    await space.change(
      Array.from({ length: 20 }, (_, n) => insertPage(`Page ${n}`, { document: { markdown: 'word '.repeat(500) } })),
    );
    await waitUntilSettled(space);
  }
  const [alone = 0] = await indexAgain(spaces.slice(0, 1));

  const together = await indexAgain(spaces);

  expect(Math.max(...together)).toBeLessThan(2 * alone);
});

test('after concurrent edits, the index has the last version of each page', async () => {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  const pages = await space.change(Array.from({ length: 30 }, (_, index) => insertPage(`Page ${index}`)));
  await Promise.all(
    pages.map(async (page, index) => {
      for (const word of ['gull', 'tern'])
        await space.change([{ operation: 'update_page', page, document: { markdown: `${word}${index} skua` } }]);
    }),
  );

  await waitUntilSettled(space);

  expect(await searchTitles(space, 'skua')).toHaveLength(30);
  expect(await searchTitles(space, 'tern29')).toEqual(['Page 29']);
  expect(await searchTitles(space, 'gull29')).toEqual([]);
  expect(readIndexedPages(server, organization).map(({ page }) => page)).toEqual([...pages].sort());
});

test('an invalid event does not delay the other events in its batch', async () => {
  const { space } = await createEditedSpace(3);
  const broken = createId('event');
  await writeDatabase(
    server,
    "INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at) VALUES (?, 'content.changed', ?, '', '', '{}', 0, 0)",
    broken,
    space.space,
  );

  await deliverTogether(space);

  const listOtherChanges = () => getChanges(space).filter(({ id }) => id !== broken);
  await until(async () => (listOtherChanges().every(({ doneAt }) => doneAt !== null) ? true : undefined));
  expect(listOtherChanges().map(({ attempts }) => attempts)).toEqual(listOtherChanges().map(() => 0));
  await until(async () => getChanges(space).find(({ id, error }) => id === broken && error !== null));
  await writeDatabase(server, 'DELETE FROM outbox WHERE id = ?', broken);
});

test('an event that fails delays the other events in its batch once', async () => {
  const { space, pages } = await createEditedSpace(3);
  const ofPage = "branch = ? AND kind = 'page' AND id = ? AND until = 9007199254740991";
  const [before] = queryDatabase<{ data: string }>(
    server.dataDir,
    `SELECT data FROM versions WHERE ${ofPage}`,
    space.space,
    pages[1] ?? '',
  );
  const keep = (data: string) =>
    writeDatabase(server, `UPDATE versions SET data = ? WHERE ${ofPage}`, data, space.space, pages[1] ?? '');
  const listNames = (event: Event) =>
    queryDatabase<{ data: string }>(server.dataDir, 'SELECT data FROM outbox WHERE id = ?', event.id)[0]?.data.includes(
      pages[1] ?? '',
    );
  await keep('{}');

  await deliverTogether(space);

  const listOtherChanges = () => getChanges(space).filter((event) => !listNames(event));
  await until(async () => (listOtherChanges().every(({ doneAt }) => doneAt !== null) ? true : undefined));
  expect(listOtherChanges().map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(
    getChanges(space)
      .filter(listNames)
      .map(({ doneAt }) => doneAt),
  ).toEqual([null, null]);
  await keep(before?.data ?? '');
  expect((await waitUntilSettled(space)).filter(listNames)).toHaveLength(2);
});
