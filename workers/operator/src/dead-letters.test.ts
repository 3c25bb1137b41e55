import { expect, test, vi } from 'vitest';
import { getFullScans } from '../../../test/support/full-scans.ts';
import { bindDatabase, createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { deleteDeadLetters, listDeadLetters, retryDeadLetters, storeDeadLetters } from './dead-letters.ts';

function createEnvironment(reportStatement?: (sql: string) => void) {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const database = createMemoryDatabase();
  const sent: unknown[] = [];
  const EVENTS = { sendBatch: async (messages: unknown[]) => sent.push(...messages) };
  const env = { DB: bindDatabase(database, reportStatement), EVENTS } as unknown as Parameters<
    typeof retryDeadLetters
  >[0];
  const receive = (ids: string[], queue = 'octavo-events-dead') =>
    storeDeadLetters({ queue, messages: ids.map((id) => ({ id, body: { id, text: 'é\0' } })) } as never, env);
  return { database, env, receive, sent };
}

const getIds = async ({ env }: ReturnType<typeof createEnvironment>) =>
  (await listDeadLetters(env)).letters.map(({ id }) => id);

test('stores each message of a dead letter queue once, with the name of its original queue', async () => {
  const platform = createEnvironment();
  await platform.receive(['a', 'b']);
  await platform.receive(['b', 'c'], 'events-dead');
  const { letters, count } = await listDeadLetters(platform.env);

  expect(count).toBe(3);
  expect(letters.map(({ id, queue, body }) => [id, queue, body])).toEqual(
    ['a', 'b', 'c'].map((id) => [id, 'events', { id, text: 'é\0' }]),
  );
});

test('keeps the newest 10,000, without reading all of them for each batch', async () => {
  const statements: string[] = [];
  const platform = createEnvironment((sql) => statements.push(sql));
  platform.database.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
     INSERT INTO dead_letters (id, queue, body, received_at, number) SELECT 'old' || i, 'events', '{}', i, i FROM n`,
  );
  await platform.receive(['newest']);
  const scanned = statements.flatMap((sql) => getFullScans(platform.database, sql));

  // The first or last entry of this index is read.
  expect(scanned.filter((name) => name !== 'dead_letters_by_number')).toEqual([]);
  expect((await listDeadLetters(platform.env)).count).toBe(10_000);
  expect((await getIds(platform))[0]).toBe('old52');
});

test('sends at most 500 messages again in one call, and only those received before a given time', async () => {
  const platform = createEnvironment();
  await platform.receive(Array.from({ length: 510 }, (_, index) => `m${String(index).padStart(3, '0')}`));
  const first = await retryDeadLetters(platform.env, { until: Date.now() });
  const second = await retryDeadLetters(platform.env, { until: Date.now() });
  await platform.receive(['later']);
  const none = await retryDeadLetters(platform.env, { until: 1 });

  expect([first, second, none]).toEqual([
    { retried: 500, skipped: [], hasMore: true },
    { retried: 10, skipped: [], hasMore: false },
    { retried: 0, skipped: [], hasMore: false },
  ]);
  expect(platform.sent).toHaveLength(510);
  expect(platform.sent[0]).toEqual({ body: { id: 'm000', text: 'é\0' } });
  expect(await getIds(platform)).toEqual(['later']);
});

test('skips messages whose queue does not exist, until they are deleted', async () => {
  const platform = createEnvironment();
  await platform.receive(['a'], 'octavo-former-dead');
  await platform.receive(['b']);
  const until = Date.now();

  expect(await retryDeadLetters(platform.env, { until })).toEqual({
    ...{ retried: 1, hasMore: false },
    skipped: [{ queue: 'former', count: 1 }],
  });
  await expect(retryDeadLetters(platform.env, { id: 'b' })).rejects.toThrow('Dead letter not found.');
  expect(await getIds(platform)).toEqual(['a']);
  expect(await deleteDeadLetters(platform.env, { until })).toEqual({ deleted: 1, hasMore: false });
  await expect(deleteDeadLetters(platform.env, { id: 'a' })).rejects.toThrow('Dead letter not found.');
});

test('keeps only the messages that could not be sent', async () => {
  const platform = createEnvironment();
  await platform.receive(Array.from({ length: 150 }, (_, index) => `m${String(index).padStart(3, '0')}`));
  const { sendBatch } = platform.env.EVENTS;
  platform.env.EVENTS.sendBatch = async (messages) => {
    if (messages.length < 100) throw new Error('The queue is full.');
    return sendBatch(messages);
  };

  await expect(retryDeadLetters(platform.env, { until: Date.now() })).rejects.toThrow('The queue is full.');
  expect((await getIds(platform))[0]).toBe('m100');
});

test('stores large messages in several statements, and cuts them in lists', async () => {
  const platform = createEnvironment();
  const messages = Array.from({ length: 4 }, (_, index) => ({ id: `m${index}`, body: 'x'.repeat(120_000) }));
  const batch = vi.spyOn(platform.env.DB, 'batch');
  await storeDeadLetters({ queue: 'events-dead', messages } as never, platform.env);
  const { letters } = await listDeadLetters(platform.env);

  expect(batch.mock.calls[0]?.[0]).toHaveLength(3);
  expect(letters.map(({ body }) => String(body).length)).toEqual([2001, 2001, 2001, 2001]);
});
