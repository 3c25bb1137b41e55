import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';

const second = 1000;
const minute = 60 * second;
const started = Date.now();
const settles = JSON.stringify({ revision: 'rev_none', pages: [] });
/** Event data that a consumer cannot parse. */
const malformed = '{}';

interface OutboxRow {
  sentAt: number;
  attempts: number;
  interruptions: number;
  error: string | null;
  doneAt: number | null;
}

interface InsertedEvent {
  created: number;
  sent: number;
  data: string;
  attempts: number;
  interruptions?: number;
}

/** Events by the time since they were written and last sent. */
const events: Record<string, InsertedEvent> = {
  taken: { created: 40 * second, sent: 30 * second, data: settles, attempts: 0 },
  fails: { created: 40 * second, sent: 30 * second, data: malformed, attempts: 0 },
  failedNine: { created: 60 * minute, sent: 30 * minute, data: malformed, attempts: 9 },
  dead: { created: 60 * minute, sent: 30 * minute, data: malformed, attempts: 10 },
  old: { created: 60 * minute, sent: 20 * minute, data: settles, attempts: 0 },
  oldSentLately: { created: 60 * minute, sent: 10 * minute, data: settles, attempts: 0 },
  interruptedOnce: { created: 40 * second, sent: 30 * second, data: settles, attempts: 0, interruptions: 1 },
  interruptedLately: { created: 8 * minute, sent: 3 * minute, data: settles, attempts: 0, interruptions: 4 },
  interruptedOften: { created: 60 * minute, sent: 30 * minute, data: settles, attempts: 0, interruptions: 9 },
  interruptedAlways: { created: 60 * minute, sent: 30 * minute, data: settles, attempts: 0, interruptions: 10 },
};

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
  for (const [id, { created, sent, data, attempts, interruptions = 0 }] of Object.entries(events)) {
    await writeDatabase(
      server,
      `INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at, attempts, interruptions)
        VALUES (?, 'content.changed', 'spc_none', '', '', ?, ?, ?, ?, ?)`,
      id,
      data,
      started - created,
      started - sent,
      attempts,
      interruptions,
    );
  }
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
});
afterAll(() => server?.remove());

function readEvent(id: string): OutboxRow {
  const [row] = queryDatabase<OutboxRow>(
    server.dataDir,
    'SELECT sent_at AS sentAt, attempts, interruptions, error, done_at AS doneAt FROM outbox WHERE id = ?',
    id,
  );
  if (row === undefined) throw new Error(`There is no event ${id}.`);
  return row;
}
const isSent = (id: string) => readEvent(id).sentAt > started - (events[id]?.sent ?? 0);
const waitForEvent = (id: string) => until(() => (readEvent(id).doneAt === null ? undefined : readEvent(id)));

test('a successful run does not count as an attempt', async () => {
  expect(await waitForEvent('taken')).toMatchObject({ attempts: 0, error: null });
});

test('an interrupted run does not count as an attempt', async () => {
  for (const id of ['interruptedOnce', 'interruptedOften'])
    expect(await waitForEvent(id)).toMatchObject({ attempts: 0, error: null });
});

test('the delay grows with each interruption of an event', () => {
  expect(isSent('interruptedLately')).toBe(false);
  expect(readEvent('interruptedLately')).toMatchObject({ attempts: 0, interruptions: 4 });
});

test('an event interrupted ten times becomes a dead letter with a reason', async () => {
  const dead = { attempts: 10, interruptions: 10, error: expect.stringContaining('The server stopped') };

  expect(readEvent('interruptedAlways')).toMatchObject(dead);
  expect(isSent('interruptedAlways')).toBe(false);
  const { jobs } = await callOperator(server.dataDir, '/jobs');
  expect(jobs.find(({ id }) => id === 'interruptedAlways')).toMatchObject({ ...dead, dead: true });
  expect(jobs.find(({ id }) => id === 'interruptedLately')).toMatchObject({ error: '4 runs were interrupted.' });
});

test('counts each attempt of an event that the consumer cannot parse', async () => {
  const failed = await until(() => (readEvent('fails').attempts >= 2 ? readEvent('fails') : undefined));

  expect(failed.doneAt).toBeNull();
  await until(() => readEvent('fails').interruptions === 0 || undefined);
  expect(readEvent('fails').error).toContain('revision');
});

test('sends an event at most ten times', async () => {
  expect(isSent('failedNine')).toBe(true);
  expect(isSent('dead')).toBe(false);
  await until(() => (readEvent('failedNine').attempts >= 10 ? true : undefined));
});

test('the delay grows with the age of an event', async () => {
  expect(await waitForEvent('old')).toMatchObject({ attempts: 0 });
  expect(isSent('oldSentLately')).toBe(false);
  expect(readEvent('oldSentLately').attempts).toBe(0);
});
