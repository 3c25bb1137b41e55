import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase, writeStoppedDatabase } from '../../support/database.ts';
import { type OwnPlatform, startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { advanceOneDay, beginDay, resumeJobs, setDeletedDaysAgo, waitForAllJobs } from '../retention/trash.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import {
  createLongText,
  expireUnused,
  listMoved,
  listObjects,
  listUnusedObjects,
  moveTexts,
  queueMove,
  readMoved,
} from './moving.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

const pageCount = 150;

/** Creates pages and replaces their texts. Returns a function that reads the former texts. */
async function makeFormerTexts(space: TestSpace, name: string) {
  const { change, callJson } = getClient(server, space);
  const texts = Array.from({ length: pageCount }, (_, index) => createLongText(`${name} ${index}`));
  const pages: string[] = [];
  for (let start = 0; start < pageCount; start += 50) {
    const some = texts.slice(start, start + 50);
    pages.push(...(await change(some.map((markdown) => insertPage(name, { document: { markdown } })))));
  }
  const { id } = await callJson<{ id: string }>('/content');
  for (let start = 0; start < pageCount; start += 50)
    await change(pages.slice(start, start + 50).map((page) => writePage(page, 'Short.\n')));
  await waitForAllJobs(server);
  return {
    texts,
    read: () =>
      Promise.all(
        pages.map(async (page) => (await callJson<{ markdown: string }>(`/revisions/${id}/page/${page}`)).markdown),
      ),
  };
}

const refusal = "BEGIN SELECT RAISE(ABORT, 'held by the test'); END";
const beforeMoves = `CREATE TRIGGER held BEFORE UPDATE OF markdown ON documents ${refusal}`;
const beforeSecondStep = `CREATE TRIGGER held BEFORE INSERT ON outbox WHEN NEW.type = 'move_texts'
  AND (SELECT COUNT(*) FROM documents WHERE typeof(markdown) = 'blob') > 60 ${refusal}`;
const afterDeletion = `CREATE TRIGGER held BEFORE DELETE ON unused_texts WHEN old.deleting = 1 ${refusal}`;

/**
 * Kills the server. While it is stopped, removes the trigger that blocked its work, and creates the trigger `next`, if
 * given. Resets the attempts, because steps that the trigger refused must not count as failed attempts.
 */
async function killAndHold(next?: string): Promise<void> {
  await server.kill('SIGKILL');
  writeStoppedDatabase(server, 'DROP TRIGGER held');
  writeStoppedDatabase(server, 'UPDATE outbox SET attempts = 0 WHERE done_at IS NULL');
  if (next !== undefined) writeStoppedDatabase(server, next);
}

test('a server that is killed while it moves or deletes texts loses no text, and leaves no unused objects', async () => {
  const { texts, read } = await makeFormerTexts(await server.makeSpace(), 'killed');

  await writeDatabase(server, beforeMoves);
  await queueMove(server, 0);
  await resumeJobs(server);
  await until(() => listUnusedObjects(server).length >= 60 || undefined);
  await killAndHold(beforeSecondStep);
  expect(readMoved(server).size).toBe(0);
  await server.restart();
  expect(await read()).toEqual(texts);

  await resumeJobs(server);
  await until(() => readMoved(server).size > 0 || undefined);
  await killAndHold();
  expect(readMoved(server).size).toBe(60);
  await server.restart();
  expect(await read()).toEqual(texts);
  await waitForAllJobs(server);
  expect(readMoved(server).size).toBe(pageCount);

  await writeDatabase(server, afterDeletion);
  await expireUnused(server);
  await expect(beginDay(server)).rejects.toThrow('exception');
  expect(await listObjects(server)).toEqual(listMoved(server));
  await killAndHold();
  expect(listUnusedObjects(server).length).toBeGreaterThanOrEqual(60);
  await server.restart();
  await beginDay(server);

  expect(listUnusedObjects(server)).toEqual([]);
  expect(await listObjects(server)).toEqual(listMoved(server));
  expect(await read()).toEqual(texts);
}, 300_000);

test('a purge deletes the objects of its texts, but not the text of an equal document that was written meanwhile', async () => {
  const organization = await server.makeOrganization();
  const [purged, other] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  const before = readMoved(server);
  const { texts } = await makeFormerTexts(purged, 'purged');
  await moveTexts(server, 0);
  const objects = [...readMoved(server).values()].filter((object) => !new Set(before.values()).has(object));
  expect(objects).toHaveLength(pageCount);

  await setDeletedDaysAgo(server, purged.id, 8);
  await advanceOneDay(server);
  expect(listUnusedObjects(server)).toEqual(objects.toSorted());
  // The database can be restored to any time of the last 30 days.
  await beginDay(server);
  const restorable = Date.now() + 30 * 86_400_000;
  expect(queryDatabase(server.dataDir, 'SELECT object FROM unused_texts WHERE delete_at < ?', restorable)).toEqual([]);
  expect(await listObjects(server)).toEqual([...before.values(), ...objects].toSorted());

  const { change, page: read } = getClient(server, other);
  const [page = ''] = await change([insertPage('Other', { document: { markdown: texts[0] } })]);
  await change([writePage(page, 'Short.\n')]);
  await waitForAllJobs(server);
  await moveTexts(server, 0);
  await change([writePage(page, texts[0] ?? '')]);
  await waitForAllJobs(server);
  expect(listUnusedObjects(server)).toHaveLength(pageCount + 1);
  await expireUnused(server);
  await beginDay(server);

  expect(await listObjects(server)).toEqual(listMoved(server));
  expect((await read(page)).markdown).toBe(texts[0]);
  expect(readMoved(server)).toEqual(before);
}, 300_000);

test.each([
  ['its object is being deleted', 'UPDATE unused_texts SET deleting = 1;'],
  [
    'it is in use again',
    `INSERT OR IGNORE INTO lineage_sources (source, space, seq)
      SELECT v.branch, 'spc_a', v.since FROM versions v CROSS JOIN documents d ON d.hash = v.document
      WHERE typeof(d.markdown) = 'text' AND d.bytes > 100;`,
  ],
])(
  'does not move a text if %s when the step ends',
  async (name, change) => {
    const before = readMoved(server);
    const { read, texts } = await makeFormerTexts(await server.makeSpace(), name);
    await waitForAllJobs(server);
    await writeDatabase(server, `CREATE TRIGGER changed AFTER INSERT ON unused_texts BEGIN ${change} END`);
    await moveTexts(server, 0);
    await writeDatabase(server, 'DROP TRIGGER changed');

    expect(readMoved(server)).toEqual(before);
    await expireUnused(server);
    await beginDay(server);
    expect(await listObjects(server)).toEqual(listMoved(server));
    expect(await read()).toEqual(texts);
  },
  120_000,
);
