import type { DatabaseBinding } from '@octavo/db';
import { connect, hasQueries, rawQuery, readRows, runBatch } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { bindDatabase, createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { consume } from './consume.ts';
import { createCronRunner } from './crons.ts';

const background = { waitUntil: () => undefined };
const selectOne = rawQuery(sql`SELECT 1`);

/** A database that counts the queries it receives. */
function createDatabase() {
  const result = { results: [], meta: {} };
  const counts = { queries: 0 };
  const createStatement = (sql: string) => ({
    bind: () => createStatement(sql),
    async all() {
      if (!/cron_runs|installation_imports/.test(sql)) counts.queries += 1;
      return result;
    },
  });
  const DB = {
    prepare: (sql: string) => createStatement(sql),
    async batch(statements: unknown[]) {
      counts.queries += statements.length;
      return statements.map(() => result);
    },
  };
  return { env: { DB: DB as unknown as DatabaseBinding }, counts };
}

test('a failed task does not stop the others, and the run fails', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const done: string[] = [];
  const run = createCronRunner('content', {
    hourly: [
      () => {
        throw new Error('A fault.');
      },
      async () => {
        await Promise.resolve();
        done.push('second');
      },
    ],
  });

  const database = createMemoryDatabase();
  const env = { DB: bindDatabase(database) };
  await expect(run('hourly', env, background)).rejects.toThrow('1 of 2 tasks failed.');
  expect(done).toEqual(['second']);
  const readRuns = () =>
    database.prepare("SELECT worker, cron, failed FROM cron_runs WHERE worker = 'content' ORDER BY cron").all();
  expect(readRuns()).toEqual([{ worker: 'content', cron: 'hourly', failed: 1 }]);

  await createCronRunner('content', { daily: [], weekly: [] })('daily', env, background);
  expect(readRuns()).toEqual(['daily', 'weekly'].map((cron) => ({ worker: 'content', cron, failed: 0 })));
});

test('the tasks of a run share the query limit of D1, and the next run has a new limit', async () => {
  const { env, counts } = createDatabase();
  const readAll = async (limited: typeof env) => {
    const { db } = connect(limited.DB, { intent: 'read' });
    while (hasQueries(limited, 4)) {
      await readRows(db, selectOne);
      await runBatch(db, [selectOne, selectOne, selectOne]);
    }
  };
  const run = createCronRunner('content', { hourly: [readAll, readAll] });
  await run('hourly', env, background);
  const first = counts.queries;
  await run('hourly', env, background);

  expect(first).toBeGreaterThan(790);
  expect(counts.queries).toBe(2 * first);
  expect(first).toBeLessThan(1000);
});

test('while writes are paused, no cron runs, and a failed message is left to the crons', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const database = createMemoryDatabase();
  const runs: string[] = [];
  const run = createCronRunner('content', { hourly: [async () => runs.push('run')] });
  const env = { DB: bindDatabase(database) };
  database.exec(
    "CREATE TRIGGER writes_paused_insert_spaces BEFORE INSERT ON spaces BEGIN SELECT RAISE(ABORT, 'octavo: writes are paused by the operator'); END",
  );
  await run('hourly', env, background);
  const pausedRuns = runs.length;
  const settled: string[] = [];
  const ends = { ack: () => settled.push('ack'), retry: () => settled.push('retry') };
  const batch = { queue: 'events', messages: [{ id: 'a', attempts: 1, body: 'a', ...ends }] };
  const { db } = connect(env.DB, { intent: 'write' });
  await consume(batch, z.string(), async () => {
    await readRows(db, rawQuery(sql`INSERT INTO spaces (id) VALUES ('spc')`));
    return new Map();
  });
  database.exec('DROP TRIGGER writes_paused_insert_spaces');
  await run('hourly', env, background);

  expect([pausedRuns, runs.length]).toEqual([0, 1]);
  expect(settled).toEqual(['ack']);
});

test('an unknown trigger is an error', async () => {
  await expect(createCronRunner('content', {})('hourly', createDatabase().env, background)).rejects.toThrow('hourly');
});
