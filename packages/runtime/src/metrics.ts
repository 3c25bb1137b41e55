import type { Database } from '@octavo/db';
import { fromQuery, nullable, outbox, readRows, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';

import { describeRequests, type Metric } from './request-counts.ts';
import { getStorage } from './storage-space.ts';
import { isDead, isWaiting } from './waiting-jobs.ts';

const write = ({ name, type, help, samples }: Metric): string =>
  samples.length === 0
    ? ''
    : [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
        '',
      ].join('\n');

const queueRow = selection({
  type: outbox.type,
  waiting: fromQuery(Number),
  dead: fromQuery(Number),
  oldest: nullable(fromQuery(Number)),
});

/** Counts the unsettled events and jobs by type. Waiting and dead events are read through separate indexes. */
const selectQueues = () =>
  queueRow.query(sql`
    SELECT type, SUM(alive) AS waiting, SUM(NOT alive) AS dead, MIN(CASE WHEN alive THEN created_at END) AS oldest
    FROM (SELECT type, created_at, 1 AS alive FROM outbox WHERE ${isWaiting}
      UNION ALL SELECT type, created_at, 0 FROM outbox WHERE ${isDead})
    GROUP BY type ORDER BY type`);

function describeQueues(rows: { type: string; waiting: number; dead: number; oldest: number | null }[]): Metric[] {
  const now = Date.now();
  const countByType = (value: (row: (typeof rows)[number]) => number): [string, number][] =>
    rows.map((row) => [`{type="${row.type}"}`, value(row)]);
  return [
    {
      name: 'octavo_jobs_waiting',
      type: 'gauge',
      help: 'Events and jobs that wait.',
      samples: countByType((row) => row.waiting),
    },
    {
      name: 'octavo_jobs_oldest_seconds',
      type: 'gauge',
      help: 'Age of the oldest event or job that waits.',
      samples: countByType(({ oldest }) => (oldest === null ? 0 : Math.max(0, now - oldest) / 1000)),
    },
    {
      name: 'octavo_jobs_dead',
      type: 'gauge',
      help: 'Events and jobs that failed ten times and are not tried again.',
      samples: countByType((row) => row.dead),
    },
  ];
}

const createGauge = (name: string, help: string, value: number | undefined): Metric => ({
  name,
  type: 'gauge',
  help,
  samples: value === undefined ? [] : [['', value]],
});

/** Returns all measurements in the text format of Prometheus. */
export async function readMetrics(db: Database): Promise<string> {
  const rows = await readRows(db, selectQueues());
  const { meta } = await db.$client.prepare('SELECT 1').all();
  const { problem, freeBytes, totalBytes } = getStorage();
  const metrics = [
    ...describeRequests(),
    ...describeQueues(rows),
    createGauge('octavo_database_bytes', 'Size of the database.', meta.size_after),
    createGauge('octavo_disk_free_bytes', 'Free space of the disk with the data folder.', freeBytes),
    createGauge('octavo_disk_size_bytes', 'Size of the disk with the data folder.', totalBytes),
    createGauge('octavo_writable', '1 if writes are accepted, 0 if the disk is full.', problem === undefined ? 1 : 0),
  ];
  return metrics.map(write).join('');
}
