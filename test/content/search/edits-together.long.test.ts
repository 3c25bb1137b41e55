import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
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
  readPast<Event>(
    server.dataDir,
    "SELECT id, attempts, done_at AS doneAt, error FROM outbox WHERE type = 'content.changed' AND space = ? ORDER BY created_at",
    space,
  );

const allSettled = (space: SpaceClient) =>
  until(async () => (getChanges(space).every(({ doneAt }) => doneAt !== null) ? getChanges(space) : undefined));

const titlesFor = async (space: SpaceClient, words: string) =>
  (await space.ok<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title).sort();

/** Delivers all events of a space again in one batch. */
async function deliverTogether({ space }: SpaceClient): Promise<void> {
  await writePast(
    server,
    "UPDATE outbox SET done_at = NULL, attempts = 0, interruptions = 0, sent_at = 0 WHERE type = 'content.changed' AND space = ?",
    space,
  );
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
}

async function writtenSpace(edits: number): Promise<{ organization: string; space: SpaceClient; pages: string[] }> {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  const pages = await space.change(['One', 'Two', 'Three'].map((title) => insertPage(title)));
  for (let edit = 0; edit < edits; edit += 1) {
    const page = pages[edit % pages.length] ?? '';
    await space.change([{ operation: 'update_page', page, document: { markdown: `no${edit} of a heron` } }]);
  }
  await allSettled(space);
  return { organization, space, pages };
}

test('indexes many waiting edits together, only in their final state', async () => {
  const { organization, space } = await writtenSpace(30);
  await clearIndex(server, organization);

  await deliverTogether(space);

  const settled = await allSettled(space);
  expect(settled).toHaveLength(31);
  expect(settled.map(({ attempts }) => attempts)).toEqual(settled.map(() => 0));
  expect(new Set(settled.map(({ doneAt }) => doneAt)).size).toBe(1);
  expect(await titlesFor(space, 'heron')).toEqual(['One', 'Three', 'Two']);
  expect(await titlesFor(space, 'no29')).toEqual(['Three']);
  expect(await titlesFor(space, 'no26')).toEqual([]);
  const indexed = readIndexedPages(server, organization);
  expect([indexed.length, new Set(indexed.map(({ segment }) => segment)).size]).toEqual([3, 1]);
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

  await allSettled(space);

  expect(await titlesFor(space, 'skua')).toHaveLength(30);
  expect(await titlesFor(space, 'tern29')).toEqual(['Page 29']);
  expect(await titlesFor(space, 'gull29')).toEqual([]);
  expect(readIndexedPages(server, organization).map(({ page }) => page)).toEqual([...pages].sort());
});

test('an invalid event does not delay the other events in its batch', async () => {
  const { space } = await writtenSpace(3);
  const broken = createId('event');
  await writePast(
    server,
    "INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at) VALUES (?, 'content.changed', ?, '', '', '{}', 0, 0)",
    broken,
    space.space,
  );

  await deliverTogether(space);

  const rest = () => getChanges(space).filter(({ id }) => id !== broken);
  await until(async () => (rest().every(({ doneAt }) => doneAt !== null) ? true : undefined));
  expect(rest().map(({ attempts }) => attempts)).toEqual(rest().map(() => 0));
  await until(async () => getChanges(space).find(({ id, error }) => id === broken && error !== null));
  await writePast(server, 'DELETE FROM outbox WHERE id = ?', broken);
});

test('an event that fails delays the other events in its batch once', async () => {
  const { space, pages } = await writtenSpace(3);
  const ofPage = "branch = ? AND kind = 'page' AND id = ? AND until = 9007199254740991";
  const [before] = readPast<{ data: string }>(
    server.dataDir,
    `SELECT data FROM versions WHERE ${ofPage}`,
    space.space,
    pages[1] ?? '',
  );
  const keep = (data: string) =>
    writePast(server, `UPDATE versions SET data = ? WHERE ${ofPage}`, data, space.space, pages[1] ?? '');
  const names = (event: Event) =>
    readPast<{ data: string }>(server.dataDir, 'SELECT data FROM outbox WHERE id = ?', event.id)[0]?.data.includes(
      pages[1] ?? '',
    );
  await keep('{}');

  await deliverTogether(space);

  const others = () => getChanges(space).filter((event) => !names(event));
  await until(async () => (others().every(({ doneAt }) => doneAt !== null) ? true : undefined));
  expect(others().map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(
    getChanges(space)
      .filter(names)
      .map(({ doneAt }) => doneAt),
  ).toEqual([null, null]);
  await keep(before?.data ?? '');
  expect((await allSettled(space)).filter(names)).toHaveLength(2);
});
