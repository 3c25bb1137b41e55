import { afterEach, expect, test, vi } from 'vitest';
import { bindDatabase, connectMemoryDatabase, createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createCronRunner } from './crons.ts';
import { readHealth } from './health.ts';

const minute = 60_000;
const everyMinute = ['content', 'integrations', 'org-admin', 'publishing'];
afterEach(() => vi.useRealTimers());

const background = { waitUntil: () => undefined };

/** Returns the database of an installation whose last migration was just applied. */
function createInstallation() {
  const database = createMemoryDatabase();
  database.exec('CREATE TABLE d1_migrations (name TEXT, applied_at TIMESTAMP)');
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ');
  database.prepare('INSERT INTO d1_migrations VALUES (?, ?)').run('0001_first.sql', '2026-01-01 00:00:00');
  database.prepare('INSERT INTO d1_migrations VALUES (?, ?)').run('0002_second.sql', now);
  const findLateCrons = async () => {
    const { problems } = await readHealth(connectMemoryDatabase(database));
    return problems.map((problem) => /^The cron "\*.* of ([\w-]+) has not run for (\d+) minutes/.exec(problem)?.[1]);
  };
  return { database, findLate: findLateCrons };
}

test('crons that have never run are late if their interval has passed since the deployment', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 1) });
  const { findLate } = createInstallation();
  const early = await findLate();
  vi.setSystemTime(Date.now() + 12 * minute);
  const late = await findLate();
  vi.setSystemTime(Date.now() + 27 * 60 * minute);
  const { length: all } = await findLate();

  expect(early).toEqual([]);
  expect([...new Set(late)]).toEqual(everyMinute);
  expect(all).toBe(10);
});

test('the crons of a worker that has never run are late after crons of other workers have run', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 1) });
  const { database, findLate } = createInstallation();
  const runContent = createCronRunner('content', { '* * * * *': [], '17 3 * * *': [] });
  vi.setSystemTime(Date.now() + 30 * 24 * 60 * minute);
  for (let run = 0; run < 2; run += 1) {
    vi.setSystemTime(Date.now() + 12 * minute);
    await runContent('* * * * *', { DB: bindDatabase(database) }, background);
    if (run === 0) expect(await findLate()).toEqual([]);
  }
  const late = await findLate();

  expect([...new Set(late)]).toEqual(everyMinute.filter((worker) => worker !== 'content'));
});
