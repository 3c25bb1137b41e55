import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { makePage, searchSpace } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

const server = platform();

const titlesFor = async (space: SpaceClient, words: string) =>
  (await space.ok<{ items: { title: string }[] }>(`/search?query=${words}`)).items.map(({ title }) => title);

const found = (space: SpaceClient, words: string) =>
  until(async () => ((await titlesFor(space, words)).length > 0 ? true : undefined));

const write = (statement: string, ...values: (string | number)[]) => writePast(server, statement, ...values);

/** Delivers the events of a space again. */
async function deliverAgain({ space }: SpaceClient): Promise<void> {
  await write("UPDATE outbox SET done_at = NULL, sent_at = 0 WHERE type = 'content.changed' AND space = ?", space);
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
}

test('a message that arrives late does not overwrite a newer state', async () => {
  const space = getClient(server, await server.makeSpace());
  const [ahead = '', behind = ''] = await space.change([
    insertPage('Ahead', { document: { markdown: 'old walrus' } }),
    insertPage('Behind', { document: { markdown: 'old penguin' } }),
  ]);
  await found(space, 'walrus');
  await found(space, 'penguin');
  await write('UPDATE search_pages SET seq = 1000 WHERE space = ? AND page = ?', space.space, ahead);
  await write('UPDATE search_pages SET seq = 0 WHERE space = ? AND page = ?', space.space, behind);
  await write('DELETE FROM search_sections WHERE space = ?', space.space);
  await write(
    "INSERT INTO search_sections (space, page, ordinal, anchor, title, heading, body) VALUES (?, ?, 0, '', 'Ahead', '', 'new ostrich')",
    space.space,
    ahead,
  );
  expect(await titlesFor(space, 'ostrich')).toEqual(['Ahead']);
  expect(await titlesFor(space, 'penguin')).toEqual([]);

  // Both pages are in one event, so delivering it again also indexes the outdated page.
  await deliverAgain(space);
  await found(space, 'penguin');

  expect(await titlesFor(space, 'ostrich')).toEqual(['Ahead']);
  expect(await titlesFor(space, 'walrus')).toEqual([]);
});

test('a repeated message changes nothing', async () => {
  const space = getClient(server, await server.makeSpace());
  await space.change([
    insertPage('Kept', { document: { markdown: 'a heron' } }),
    insertPage('Marker', { document: { markdown: 'a gecko' } }),
  ]);
  await found(space, 'heron');
  await found(space, 'gecko');

  for (let round = 0; round < 2; round += 1) {
    await write("DELETE FROM search_sections WHERE space = ? AND body = 'a gecko'", space.space);
    expect(await titlesFor(space, 'gecko')).toEqual([]);
    await deliverAgain(space);
    await found(space, 'gecko');
  }

  const { items } = await space.ok<{ items: { sections: object[] }[] }>('/search?query=heron');
  expect(items.map(({ sections }) => sections.length)).toEqual([1]);
});

test('indexes at most 1,000 sections of a page, and finds the last of its 1,500 headings', async () => {
  const space = await platform().makeSpace();
  const headings = Array.from({ length: 1500 }, (_, index) => `## Heading${index}x\n\nbody${index}x\n`);
  const page = await makePage(space, 'Many headings', headings.join('\n'));
  const ids = async (words: string) => (await searchSpace(space, words)).items.map(({ id }) => id);
  await until(async () => (await ids('heading0x'))[0]);

  for (const words of [
    'heading998x',
    'heading999x',
    'body1000x',
    'heading1499x',
    'body1499x',
    'body1200x heading1201x',
  ]) {
    expect([words, await ids(words)]).toEqual([words, [page]]);
  }
  const anchors = 'SELECT COUNT(DISTINCT anchor) AS anchors FROM search_sections WHERE page = ?';
  expect(query(anchors, page)).toEqual([{ anchors: 1000 }]);
});
