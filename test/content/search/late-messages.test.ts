import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { makePage, searchSpace } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { clearIndex, readIndexedPages, removeFromIndex, writeSegment } from './stored-index.ts';

const server = platform();

const searchTitles = async (space: SpaceClient, words: string) =>
  (await space.callJson<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title);

const waitForResult = (space: SpaceClient, words: string) =>
  until(async () => ((await searchTitles(space, words)).length > 0 ? true : undefined));

const write = (statement: string, ...values: (string | number)[]) => writeDatabase(server, statement, ...values);

/** Delivers the first event of a space again, and waits until it is handled. */
async function deliverAgain({ space }: SpaceClient): Promise<void> {
  const [first = { id: '' }] = queryDatabase<{ id: string }>(
    server.dataDir,
    "SELECT id FROM outbox WHERE type = 'content.changed' AND space = ? ORDER BY created_at LIMIT 1",
    space,
  );
  await write('UPDATE outbox SET done_at = NULL, sent_at = 0 WHERE id = ?', first.id);
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  const isDone = 'SELECT id FROM outbox WHERE id = ? AND done_at IS NOT NULL';
  await until(() => queryDatabase(server.dataDir, isDone, first.id).length > 0 || undefined);
}

test('a message that arrives late does not overwrite a newer state', async () => {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  const [ahead = '', behind = ''] = await space.change([
    insertPage('Ahead', { document: { markdown: 'old walrus' } }),
    insertPage('Behind', { document: { markdown: 'old penguin' } }),
  ]);
  await space.change([{ operation: 'update_page', page: ahead, document: { markdown: 'new ostrich' } }]);
  await waitForResult(space, 'ostrich');
  await waitForResult(space, 'penguin');

  await deliverAgain(space);
  expect(await searchTitles(space, 'ostrich')).toEqual(['Ahead']);
  expect(await searchTitles(space, 'walrus')).toEqual([]);

  await clearIndex(server, organization);
  await writeSegment(server, organization, [
    {
      ...{ space: owner.id, page: ahead, key: 'old', title: 'Ahead', conditions: [] },
      sections: [{ heading: '', text: 'old walrus', conditions: [] }],
    },
  ]);
  expect(await searchTitles(space, 'walrus')).toEqual(['Ahead']);
  expect(await searchTitles(space, 'penguin')).toEqual([]);

  // Both pages are in one event, so delivering it again indexes the current state of both.
  await deliverAgain(space);
  expect(await searchTitles(space, 'ostrich')).toEqual(['Ahead']);
  expect(await searchTitles(space, 'penguin')).toEqual(['Behind']);
  expect(await searchTitles(space, 'walrus')).toEqual([]);
  expect(readIndexedPages(server, organization).map(({ page }) => page)).toEqual([ahead, behind].sort());
});

test('a repeated message writes only the outdated pages', async () => {
  const { organization, ...owner } = await server.makeSpace();
  const space = getClient(server, owner);
  const [remainingPage = '', marker = ''] = await space.change([
    insertPage('Kept', { document: { markdown: 'a heron' } }),
    insertPage('Marker', { document: { markdown: 'a gecko' } }),
  ]);
  await waitForResult(space, 'heron');
  const readEntries = (page: string) => readIndexedPages(server, organization).filter((each) => each.page === page);
  const before = readEntries(remainingPage);
  expect(before).toHaveLength(1);

  await removeFromIndex(server, organization, marker);
  expect(await searchTitles(space, 'gecko')).toEqual([]);
  await deliverAgain(space);
  expect(await searchTitles(space, 'gecko')).toEqual(['Marker']);
  expect(readEntries(remainingPage)).toEqual(before);
  expect(readEntries(marker)).toHaveLength(1);

  const everything = readIndexedPages(server, organization);
  await deliverAgain(space);
  expect(readIndexedPages(server, organization)).toEqual(everything);
});

test('indexes at most 1,000 sections of a page, and finds the last of its 1,500 headings', async () => {
  const space = await platform().makeSpace();
  const headings = Array.from({ length: 1500 }, (_, index) => `## Heading${index}x\n\nbody${index}x\n`);
  const page = await makePage(space, 'Many headings', headings.join('\n'));
  const searchIds = async (words: string) => (await searchSpace(space, words)).items.map(({ id }) => id);
  await until(async () => (await searchIds('heading0x'))[0]);

  for (const words of [
    'heading998x',
    'heading999x',
    'body1000x',
    'heading1499x',
    'body1499x',
    'body1200x heading1201x',
  ]) {
    expect([words, await searchIds(words)]).toEqual([words, [page]]);
  }
  const [{ sections = [] } = {}] = readIndexedPages(server, space.organization);
  expect(new Set(sections.map(({ anchor }) => anchor)).size).toBe(1000);
});

test('the events of a large merge have the lengths of its texts, so that its pages are indexed together', async () => {
  const space = getClient(server, await server.makeSpace());
  const branch = await space.open();
  const pages = Array.from({ length: 30 }, (_, n) => insertPage(`Page ${n}`, { document: { markdown: 'A walrus.' } }));
  await space.change(pages, branch);
  expect((await space.merge(branch)).body.result).toBe('merge');

  const events = queryDatabase<{ bytes: number | null }>(
    server.dataDir,
    "SELECT data->>'bytes' AS bytes FROM outbox WHERE type = 'content.changed' AND space = ? ORDER BY bytes",
    space.space,
  );
  expect(events.map(({ bytes }) => bytes)).toEqual([5 * 9, 25 * 9]);
});
