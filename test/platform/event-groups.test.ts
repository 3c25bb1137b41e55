import { rawQuery, readRow } from '@octavo/db';
import type { EventMessage } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import type { Environment } from '../../packages/runtime/src/environment.ts';
import { handleEventGroups } from '../../packages/runtime/src/event-groups.ts';
import { settleEvent } from '../../packages/runtime/src/outbox.ts';
import { bindDatabase, createMemoryDatabase } from '../support/memory-database.ts';

const maxQueries = 200;

/** Handles a batch of events of different spaces. Each group of events uses its maximum number of queries. */
async function handleBatch(count: number, attempts = 0) {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const database = createMemoryDatabase();
  const ids = Array.from({ length: count }, (_, index) => `evt${index}`);
  for (const [index, id] of ids.entries())
    database
      .prepare(
        `INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at, attempts)
         VALUES (?, 'content.changed', ?, '', '', '{"revision":"rev","pages":[]}', 1, 1, ?)`,
      )
      .run(id, `spc${index}`, attempts);
  let queries = 0;
  const sent: unknown[] = [];
  const env = {
    DB: bindDatabase(database, () => {
      queries += 1;
    }),
    OCTAVO_PUBLIC_URL: '',
    EVENTS: { sendBatch: async (messages: unknown[]) => sent.push(...messages) },
  } as unknown as Environment;
  const messages = ids.map((id): EventMessage => ({ id, type: 'content.changed' }));
  const failures = await handleEventGroups(env, messages, {
    type: 'content.changed',
    split: (events) => [events],
    maxQueries,
    createContext: (db) => db,
    async handle(events, db) {
      for (let query = 1; query < maxQueries; query += 1) await readRow(db, rawQuery(sql`SELECT 1`));
      for (const { id } of events) await settleEvent(db, id);
    },
  });
  const waiting = database.prepare('SELECT interruptions FROM outbox WHERE done_at IS NULL').all();
  return { queries, failures, sent, interruptions: waiting.map((row) => row.interruptions) };
}

test.each([0, 1])(
  'a batch of events with %i attempts stays below 1,000 queries, and sends the remaining events again',
  async (attempts) => {
    const { queries, failures, sent, interruptions } = await handleBatch(50, attempts);

    expect(queries).toBeGreaterThan(500);
    expect(queries).toBeLessThan(1000);
    expect(failures.size).toBe(0);
    expect(sent.length).toBeGreaterThan(40);
    expect(interruptions).toEqual(sent.map(() => 0));
  },
);

test('a batch that has enough queries handles all of its events', async () => {
  const { sent, interruptions } = await handleBatch(3);

  expect([sent, interruptions]).toEqual([[], []]);
});
