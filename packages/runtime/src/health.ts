import type { Database, RecordOf } from '@octavo/db';
import { cronRuns, fromQuery, getOnlyRow, nullable, runBatch, selection } from '@octavo/db';
import type { CronHealth, Health, QueueHealth } from '@octavo/schema';
import { messageQueues, workerCrons } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findHalt } from './crons.ts';
import { isDead, isWaiting } from './waiting-jobs.ts';

const minute = 60_000;
/** An event or a message that has waited longer is reported as a problem. */
const maxWaitMilliseconds = 15 * minute;
const maxDelayMilliseconds = 10 * minute;
/** A cron that runs less often than hourly is late after this time. */
const maxDailyPauseMilliseconds = 26 * 60 * minute;
/** Maximum number of rows that are counted. */
const maxCounted = 10_000;

const waitingRow = selection({
  type: fromQuery(String),
  waiting: fromQuery(Number),
  failed: fromQuery(Number),
  oldest: nullable(fromQuery(Number)),
});
const letterRow = selection({ queue: fromQuery(String), count: fromQuery(Number) });
const cronRow = selection({
  worker: cronRuns.worker,
  cron: cronRuns.cron,
  startedAt: cronRuns.startedAt,
  endedAt: cronRuns.endedAt,
  failed: cronRuns.failed,
});
const migratedRow = selection({ at: fromQuery(Number) });

/** The queries of `readHealth`. Each reads a limited number of rows by an index. */
const selectHealth = (now: number) => ({
  events: waitingRow.query(sql`
    SELECT type, SUM(alive) AS waiting, SUM(NOT alive) AS failed, MIN(CASE WHEN alive THEN created_at END) AS oldest
    FROM (SELECT * FROM (SELECT type, created_at, 1 AS alive FROM outbox WHERE ${isWaiting} ORDER BY created_at LIMIT ${maxCounted})
      UNION ALL
      SELECT * FROM (SELECT type, created_at, 0 FROM outbox WHERE ${isDead} ORDER BY created_at LIMIT ${maxCounted}))
    GROUP BY type ORDER BY type`),
  feed: waitingRow.query(sql`
    SELECT 'feed' AS type, COUNT(*) AS waiting, 0 AS failed,
      (SELECT created_at FROM outbox WHERE id = (SELECT event FROM feed ORDER BY seq LIMIT 1)) AS oldest
    FROM (SELECT 1 FROM feed LIMIT ${maxCounted})`),
  sends: waitingRow.query(sql`
    SELECT 'sends' AS type, COUNT(*) AS waiting, 0 AS failed, MIN(wake_at) AS oldest
    FROM (SELECT wake_at FROM subscriptions WHERE wake_at < ${now} AND status IN ('active', 'leaving', 'draining')
      ORDER BY wake_at LIMIT ${maxCounted})`),
  letters: letterRow.query(sql`SELECT queue, COUNT(*) AS count FROM dead_letters GROUP BY queue`),
  crons: cronRow.query(sql`SELECT ${cronRow} FROM cron_runs ORDER BY worker, cron`),
  migrated: migratedRow.query(sql`
    SELECT COALESCE(MAX(unixepoch(applied_at)), 0) * 1000 AS at FROM d1_migrations`),
  halt: findHalt,
});

/**
 * Returns the last runs of all crons. Each run records all crons, so if a cron has no record, no cron has run since the
 * deployment that applied the last migration.
 */
function addMissingCrons(runs: RecordOf<typeof cronRow>[], deployedAt: number): RecordOf<typeof cronRow>[] {
  const all = Object.entries(workerCrons).flatMap(([worker, crons]) => crons.map((cron) => ({ worker, cron })));
  const missing = all.filter((each) => !runs.some(({ worker, cron }) => worker === each.worker && cron === each.cron));
  return [...runs, ...missing.map((each) => ({ ...each, startedAt: deployedAt, endedAt: deployedAt, failed: 0 }))];
}

const getQueueName = (type: string): string =>
  type === 'sends' ? type : (messageQueues[type as keyof typeof messageQueues] ?? 'JOBS').toLowerCase();

const queueNames = [...new Set([...Object.values(messageQueues).map((name) => name.toLowerCase()), 'sends'])];

const describeSeconds = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;

const describeHalt = ({ reason, since }: { reason: string; since: number }): string =>
  reason === 'import'
    ? `An import has been running since ${new Date(since).toISOString()}. If it was interrupted, run it again, or end it with \`octavo installation import --cancel\`.`
    : 'Changes are refused after an export. Accept them with `octavo installation resume`.';

/** Returns the time after the last run at which a cron is late. */
function getMaxPause(cron: string): number {
  const [minutes = '', hours] = cron.split(' ');
  if (hours !== '*') return maxDailyPauseMilliseconds;
  const interval = minutes === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(minutes)?.[1] ?? 60);
  return interval * minute + maxDelayMilliseconds;
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const formatHave = (count: number): string => (count === 1 ? 'has' : 'have');

function findProblems(queues: QueueHealth[], crons: CronHealth[]): string[] {
  return [
    ...queues.flatMap(({ queue, oldestSeconds, failed, deadLetters }) => [
      ...(oldestSeconds * 1000 > maxWaitMilliseconds
        ? [`The oldest message for the queue \`${queue}\` has waited for ${describeSeconds(oldestSeconds)}.`]
        : []),
      ...(failed > 0
        ? [
            `${formatCount(failed, 'job')} of the queue \`${queue}\` ${formatHave(failed)} failed. List them: \`octavo jobs\`.`,
          ]
        : []),
      ...(deadLetters > 0
        ? [
            `The queue \`${queue}\` has given up ${formatCount(deadLetters, 'message')}. List them: \`octavo dead-letters\`.`,
          ]
        : []),
    ]),
    ...crons.flatMap(({ worker, cron, secondsAgo, failed }) => {
      return [
        ...(secondsAgo * 1000 > getMaxPause(cron)
          ? [`The cron "${cron}" of ${worker} has not run for ${describeSeconds(secondsAgo)}.`]
          : []),
        ...(failed > 0
          ? [
              `${formatCount(failed, 'task')} of the cron "${cron}" of ${worker} ${formatHave(failed)} failed. The log has the reason.`,
            ]
          : []),
      ];
    }),
  ];
}

/** Reads the ages of queues, events and crons, and the numbers of failures. */
export async function readHealth(db: Database): Promise<Health> {
  const now = Date.now();
  const { events, feed, sends, letters, crons: runs, migrated, halt } = await runBatch(db, selectHealth(now));
  const milliseconds = Date.now() - now;
  const { meta } = await db.$client.prepare('SELECT 1').all();
  const waiting = [...events, ...feed, ...sends];
  const queues = queueNames.map((queue): QueueHealth => {
    const own = waiting.filter(({ type }) => getQueueName(type) === queue);
    const oldest = Math.min(now, ...own.flatMap((row) => row.oldest ?? []));
    return {
      queue,
      waiting: own.reduce((sum, row) => sum + row.waiting, 0),
      oldestSeconds: (now - oldest) / 1000,
      failed: own.reduce((sum, row) => sum + row.failed, 0),
      deadLetters: letters.find((row) => row.queue === queue)?.count ?? 0,
    };
  });
  const crons = addMissingCrons(runs, getOnlyRow(migrated).at).map(
    ({ worker, cron, startedAt, endedAt, failed }): CronHealth => ({
      ...{ worker, cron, failed },
      ...{ secondsAgo: (now - startedAt) / 1000, seconds: (endedAt - startedAt) / 1000 },
    }),
  );
  const problems = [...halt.map(describeHalt), ...findProblems(queues, crons)];
  return {
    status: problems.length === 0 ? 'ok' : 'problems',
    problems,
    database: { bytes: meta.size_after ?? null, milliseconds },
    queues,
    crons,
  };
}
