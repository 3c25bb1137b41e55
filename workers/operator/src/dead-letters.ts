import type { Database } from '@octavo/db';
import {
  connect,
  deadLetters,
  fromQuery,
  rawQuery,
  readRow,
  readRows,
  runBatch,
  selection,
  splitIntoJson,
} from '@octavo/db';
import { deleteInBatches, log } from '@octavo/runtime';
import type { ListedLetter } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findQueue, type OperatorEnvironment } from './environment.ts';

const retentionMilliseconds = 30 * 24 * 3_600_000;
/** Only messages that are among so many last received ones are stored. */
const maxStored = 10_000;
const maxDeletedAtOnce = 1000;
const maxListed = 500;
/** Maximum length of a message in lists. Longer messages are truncated. */
const maxListedLength = 2000;
const maxRetriedAtOnce = 500;
const maxMessagesPerSend = 100;

/** Returns the queue of a dead letter queue: `events` for `events-dead` and `octavo-events-dead`. */
const getSource = (deadQueue: string): string => deadQueue.split('-').at(-2) ?? deadQueue;

/** Stores the messages of a dead letter queue. A message that is delivered twice is stored once. */
export async function storeDeadLetters(batch: MessageBatch, { DB }: Pick<OperatorEnvironment, 'DB'>): Promise<void> {
  const queue = getSource(batch.queue);
  for (const { id, body } of batch.messages) log('error', 'dead letter', { queue, messageId: id, body });
  const { db } = connect(DB, { intent: 'write' });
  const now = Date.now();
  const rows = batch.messages.map(({ id, body }) => [id, JSON.stringify(body) ?? 'null']);
  const last = sql`(SELECT COALESCE(MAX(number), 0) FROM dead_letters)`;
  await runBatch(db, [
    ...splitIntoJson(rows).map((json) =>
      rawQuery(sql`INSERT INTO dead_letters (id, queue, body, received_at, number)
        SELECT value->>0, ${queue}, value->>1, ${now}, ${last} + 1 + key FROM json_each(${json}) WHERE true
        ON CONFLICT DO NOTHING`),
    ),
    rawQuery(sql`DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE number <= ${last} - ${maxStored} ORDER BY number LIMIT ${maxDeletedAtOnce})`),
  ]);
}

const deadLetterRow = selection({
  id: deadLetters.id,
  queue: deadLetters.queue,
  body: deadLetters.body,
  receivedAt: deadLetters.receivedAt,
});
const listedRow = selection({
  id: deadLetters.id,
  queue: deadLetters.queue,
  body: fromQuery(String),
  receivedAt: deadLetters.receivedAt,
});
const cutBody = sql.raw(`CASE WHEN length(body) > ${maxListedLength}
  THEN json_quote(substr(body, 1, ${maxListedLength}) || '…') ELSE body END`);
const countRow = selection({ count: fromQuery(Number) });

/**
 * Returns the oldest dead letters (at most 500), the number of all dead letters, and the time at which the list was
 * read.
 */
export async function listDeadLetters({
  DB,
}: Pick<OperatorEnvironment, 'DB'>): Promise<{ letters: ListedLetter[]; count: number; time: number }> {
  const { db } = connect(DB, { intent: 'write' });
  const count = countRow.query(sql`SELECT ${countRow.with({ count: sql`COUNT(*)` })} FROM dead_letters`);
  const rows = await readRows(
    db,
    listedRow.query(
      sql`SELECT ${listedRow.with({ body: cutBody })} FROM dead_letters ORDER BY received_at, id LIMIT ${sql.raw(String(maxListed))}`,
    ),
  );
  const now = Date.now();
  return {
    letters: rows.map(({ id, queue, body, receivedAt }) => ({
      id,
      queue,
      body: JSON.parse(body),
      age: now - receivedAt,
    })),
    count: (await readRow(db, count))?.count ?? 0,
    time: now,
  };
}

/** One letter, or all letters that were received until a time of the server's clock. */
export type ChosenLetters = { id: string } | { until: number };

const choose = (which: ChosenLetters) => ('id' in which ? sql`id = ${which.id}` : sql`received_at <= ${which.until}`);

const queueRow = selection({ queue: deadLetters.queue, count: fromQuery(Number) });

const deleteLetters = (db: Database, letters: { id: string }[]) =>
  db
    .delete(deadLetters)
    .where(sql`id IN (SELECT value FROM json_each(${JSON.stringify(letters.map(({ id }) => id))}))`);

/** Sends letters of a queue again, and deletes each part that was sent. */
async function sendAgain(
  db: Database,
  queue: ReturnType<typeof findQueue>,
  letters: { id: string; body: string }[],
): Promise<void> {
  for (let start = 0; start < letters.length; start += maxMessagesPerSend) {
    const part = letters.slice(start, start + maxMessagesPerSend);
    await queue?.sendBatch(part.map(({ body }) => ({ body: JSON.parse(body) as unknown })));
    await deleteLetters(db, part);
  }
}

interface RetryResult {
  retried: number;
  /** The letters of queues that do not exist. */
  skipped: { queue: string; count: number }[];
  hasMore: boolean;
}

/**
 * Sends dead letters to their queues again, at most 500, and deletes them. If the call is interrupted, some are sent
 * twice, which their consumers accept.
 */
export async function retryDeadLetters(env: OperatorEnvironment, which: ChosenLetters): Promise<RetryResult> {
  const { db } = connect(env.DB, { intent: 'write' });
  const queues = await readRows(
    db,
    queueRow.query(sql`SELECT ${queueRow.with({ count: sql`COUNT(*)` })} FROM dead_letters
      WHERE ${choose(which)} GROUP BY queue`),
  );
  if ('id' in which && queues.length === 0) throw notFound('dead letter');
  const skipped = queues.filter(({ queue }) => findQueue(env, queue) === undefined);
  const letters = await readRows(
    db,
    deadLetterRow.query(sql`SELECT ${deadLetterRow} FROM dead_letters WHERE ${choose(which)}
      AND queue NOT IN (SELECT value FROM json_each(${JSON.stringify(skipped.map(({ queue }) => queue))}))
      ORDER BY received_at, id LIMIT ${sql.raw(String(maxRetriedAtOnce))}`),
  );
  for (const [name, group] of Map.groupBy(letters, ({ queue }) => queue))
    await sendAgain(db, findQueue(env, name), group);
  return { retried: letters.length, skipped, hasMore: letters.length === maxRetriedAtOnce };
}

/** Deletes dead letters, at most 1,000. */
export async function deleteDeadLetters(
  env: OperatorEnvironment,
  which: ChosenLetters,
): Promise<{ deleted: number; hasMore: boolean }> {
  const { db } = connect(env.DB, { intent: 'write' });
  const deleted = await readRows(
    db,
    listedRow.query(sql`DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE ${choose(which)} ORDER BY received_at LIMIT ${sql.raw(String(maxDeletedAtOnce))})
      RETURNING ${listedRow.with({ body: sql`''` })}`),
  );
  if ('id' in which && deleted.length === 0) throw notFound('dead letter');
  return { deleted: deleted.length, hasMore: deleted.length === maxDeletedAtOnce };
}

export const deleteOldDeadLetters = (env: Pick<OperatorEnvironment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'dead letters',
    (limit) => sql`DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE received_at < ${Date.now() - retentionMilliseconds}
      ORDER BY received_at LIMIT ${limit}) RETURNING 1`,
  );
