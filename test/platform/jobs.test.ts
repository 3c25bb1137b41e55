import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import { deleteIndexes, readIndexedIds } from '../support/search-index.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

interface OutboxRow {
  type?: string;
  data?: string;
  attempts?: number;
  interruptions?: number;
  space?: string;
}

/** Inserts a pending outbox row that was sent a moment ago, so that no sweep takes it during the test. */
async function insertEvent({
  type = 'content.changed',
  data = '{}',
  attempts = 0,
  interruptions = 0,
  space = 'spc_none',
}: OutboxRow = {}): Promise<string> {
  const id = `evt_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, attempts, interruptions)
      VALUES (?, ?, 'org_none', ?, '', '', ?, ?, ?, ?, ?)`,
    id,
    type,
    space,
    data,
    Date.now() - 90_000,
    Date.now() + 3_600_000,
    attempts,
    interruptions,
  );
  return id;
}

const call = <Path extends Parameters<typeof callOperator>[1]>(path: Path, body?: unknown) =>
  callOperator(server.dataDir, path, body);
const findJob = async (id: string) => (await call('/jobs')).jobs.find((job) => job.id === id);
const runMinuteCron = () => call('/cron', { worker: 'content', cron: '* * * * *' });
const settled = JSON.stringify({ revision: 'rev_none', pages: [] });

test('lists waiting jobs and dead letters, including mails', async () => {
  const waiting = await insertEvent({ type: 'mail.requested' });
  const dead = await insertEvent({ attempts: 10, space: 'spc_some' });

  expect(await findJob(waiting)).toMatchObject({ type: 'mail.requested', dead: false, attempts: 0, error: null });
  expect(await findJob(dead)).toMatchObject({
    type: 'content.changed',
    organization: 'org_none',
    space: 'spc_some',
    dead: true,
    attempts: 10,
  });
  expect((await findJob(dead))?.age).toBeGreaterThanOrEqual(90_000);
  const { jobs } = await call('/jobs');
  expect(jobs.findIndex(({ id }) => id === dead)).toBeLessThan(jobs.findIndex(({ id }) => id === waiting));
});

test('a replayed dead letter is executed and not listed any more', async () => {
  const id = await insertEvent({ attempts: 10, data: settled });

  expect(await call('/jobs/replay', { id })).toEqual({ replayed: 1 });
  await runMinuteCron();

  await until(async () => ((await findJob(id)) === undefined ? true : undefined));
  await expect(call('/jobs/replay', { id })).rejects.toThrow(`There is no pending job ${id}.`);
});

test('a replayed job that fails again has a reason, and counts attempts and interruptions from zero', async () => {
  const id = await insertEvent({ attempts: 10, interruptions: 10, data: '{"revision":7}' });

  await call('/jobs/replay', { id });
  await runMinuteCron();

  const failed = await until(async () => {
    const job = await findJob(id);
    return job?.error == null || job.interruptions > 0 ? undefined : job;
  });
  expect(failed).toMatchObject({ dead: false, error: expect.stringContaining('revision') });
});

test('replays all dead letters, but no waiting jobs', async () => {
  const dead = [await insertEvent({ attempts: 10, data: settled }), await insertEvent({ attempts: 12, data: settled })];
  const waiting = await insertEvent({ attempts: 3 });

  const { replayed } = await call('/jobs/replay', { all: true });
  await runMinuteCron();

  expect(replayed).toBeGreaterThanOrEqual(2);
  for (const id of dead) await until(async () => ((await findJob(id)) === undefined ? true : undefined));
  expect(await findJob(waiting)).toMatchObject({ attempts: 3 });
});

test.each([[{}], [{ id: 7 }], [{ all: false }], [{ id: 'evt_a', all: true }]])(
  'rejects a replay of %j',
  async (body) => {
    await expect(call('/jobs/replay', body)).rejects.toThrow('The body must have either "id" or "all": true.');
  },
);

test('rebuilds search for one space and for all live spaces', async () => {
  const spaces = await Promise.all([server.makeSpace(), server.makeSpace()]);
  const [one, other] = spaces;
  for (const { id, token } of spaces) {
    const changes = [{ operation: 'insert_page', title: 'Walrus', document: { markdown: 'A walrus.' } }];
    await json(`/v1/spaces/${id}/content`, { token, body: { changes } }, server);
  }
  const countIndexedPages = (space = '') => readIndexedIds(server, space).length;
  const isIndexed = (space?: string) => until(() => (countIndexedPages(space) === 1 ? true : undefined));
  for (const { id } of spaces) await isIndexed(id);
  const waiting = 'SELECT id FROM outbox WHERE space IN (?, ?) AND done_at IS NULL';
  const ids = spaces.map(({ id }) => id);
  await until(() => queryDatabase(server.dataDir, waiting, ...ids).length === 0 || undefined);

  await deleteIndexes(server);
  await call('/search/rebuild', { space: one?.id });
  await isIndexed(one?.id);
  expect(countIndexedPages(other?.id)).toBe(0);
  await call('/search/rebuild');
  await isIndexed(other?.id);

  await expect(call('/search/rebuild', { space: 'spc_none' })).rejects.toThrow('Space spc_none not found.');
  await expect(call('/search/rebuild', { space: 7 })).rejects.toThrow('"space" must be a string.');
});

test('returns an error for an unknown cron', async () => {
  await expect(call('/cron', { worker: 'content', cron: '1 2 3 4 5' })).rejects.toThrow('1 2 3 4 5');
});
