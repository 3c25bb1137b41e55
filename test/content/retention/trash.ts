import { readdirSync } from 'node:fs';
import path from 'node:path';
import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import { until } from '../../support/own-platform.ts';
import type { Server } from '../../support/platform.ts';
import { readIndexedPages } from '../../support/search-index.ts';

const day = 24 * 3_600_000;

/** Sets the time at which a space was deleted to some days ago. */
export const setDeletedDaysAgo = ({ dataDir }: Server, space: string, days: number): Promise<void> =>
  writeDatabase({ dataDir }, 'UPDATE spaces SET deleted_at = ? WHERE id = ?', Date.now() - days * day, space);

/** Moves the times at which files were uploaded and marked for deletion some hours into the past. */
export async function ageFiles({ dataDir }: Server, hours: number): Promise<void> {
  const earlier = hours * 3_600_000;
  await writeDatabase(
    { dataDir },
    'UPDATE blobs SET claimed_at = claimed_at - ?, doomed_at = doomed_at - ?',
    earlier,
    earlier,
  );
}

/** Queues a job for a space, as another job or an operator does. The next sweep sends it. */
export const queueJob = ({ dataDir }: Server, space: string, job: { type: string; data: object }): Promise<void> =>
  writeDatabase(
    { dataDir },
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
      VALUES (?, ?, COALESCE((SELECT organization FROM spaces WHERE id = ?), 'org_gone'), ?, '', '', ?, 0, 0)`,
    ...[createId('event'), job.type, space, space, JSON.stringify(job.data)],
  );

const countWaitingJobs = ({ dataDir }: Server) =>
  queryDatabase<{ type: string; data: string; attempts: number; error: string | null }>(
    dataDir,
    'SELECT type, data, attempts, error FROM outbox WHERE done_at IS NULL',
  );

/** Runs the sweep on all unfinished jobs, without waiting for their retry time. No request may be running. */
export async function resumeJobs(server: Server): Promise<void> {
  await writeDatabase(server, 'UPDATE outbox SET sent_at = 0 WHERE done_at IS NULL');
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
}

/** Waits until no job is left. Runs the sweep to start jobs that were written directly to the database. */
export async function waitForAllJobs(server: Server): Promise<void> {
  await until(async () => {
    const left = countWaitingJobs(server);
    const failed = left.find(({ attempts }) => attempts > 2);
    if (failed !== undefined) throw new Error(`A job fails: ${JSON.stringify(failed)}`);
    if (left.length === 0) return true;
    await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
    return undefined;
  });
}

/** Runs the daily cron job. */
export const beginDay = ({ dataDir }: Server) =>
  callOperator(dataDir, '/cron', { worker: 'content', cron: '17 3 * * *' });

/** Runs the daily cron job and all jobs that it starts. Blobs are deleted after the job that marks them is complete. */
export async function advanceOneDay(server: Server): Promise<void> {
  await beginDay(server);
  await waitForAllJobs(server);
  await until(() => countMarkedBlobs(server) === 0 || undefined);
}

/**
 * Counts the blobs that were marked for deletion in the last minute. Blobs marked earlier wait for the next daily run.
 */
const countMarkedBlobs = ({ dataDir }: Server): number =>
  queryDatabase<{ count: number }>(
    dataDir,
    'SELECT COUNT(*) AS count FROM blobs WHERE doomed_at > ?',
    Date.now() - 60_000,
  )[0]?.count ?? 0;

const uncounted = [
  ...['outbox', 'd1_migrations', 'cron_runs', 'login_links'],
  ...['search_indexes', 'search_segments', 'search_blocks', 'search_texts'],
];

/**
 * Reads the texts of the pages in the search indexes, and the texts that belong to no document. Omits the texts of
 * former states of a page, because they depend on when the indexing job ran. One run can index several edits of a page.
 */
function getSearchTexts(server: Server): unknown[] {
  const keys = readIndexedPages(server).map(({ key }) => key);
  return queryDatabase(
    server.dataDir,
    `SELECT * FROM search_texts WHERE key IN (SELECT value FROM json_each(?)) OR key NOT IN (SELECT hash FROM documents)
      ORDER BY key, part`,
    JSON.stringify(keys),
  );
}

/**
 * Counts the rows of each table. Omits the outbox, which is never emptied, the records of crons, and the sign-in links,
 * because each start of the server creates a link. For search indexes, it counts pages and texts instead of rows,
 * because the number of segments depends on when they were merged.
 */
export function getRows(server: Server): Record<string, number> {
  const { dataDir } = server;
  const tables = queryDatabase<{ name: string }>(
    dataDir,
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
      AND name NOT IN (SELECT value FROM json_each(?))`,
    JSON.stringify(uncounted),
  );
  const rows = tables.map(({ name }) => [
    name,
    queryDatabase<{ count: number }>(dataDir, `SELECT COUNT(*) AS count FROM ${name}`)[0]?.count ?? 0,
  ]);
  return {
    ...Object.fromEntries(rows),
    indexedPages: readIndexedPages(server).length,
    searchTexts: getSearchTexts(server).length,
  };
}

const contentTables = [
  ...['spaces', 'revisions', 'versions', 'documents', 'document_links', 'change_requests', 'space_counters'],
  ...['grants', 'lineage_sources', 'contributors'],
  ...['comments', 'comment_replies', 'reactions', 'reaction_counts', 'reviews', 'requested_reviewers'],
];

/** Returns all rows with content and its dependent data. */
export const readAllContent = (server: Server): Record<string, unknown[]> => ({
  ...Object.fromEntries(
    contentTables.map((table) => [
      table,
      queryDatabase(server.dataDir, `SELECT * FROM ${table}`)
        .map((row) => JSON.stringify(row))
        .toSorted(),
    ]),
  ),
  indexedPages: readIndexedPages(server),
  searchTexts: getSearchTexts(server),
});

/** Counts the objects in the bucket of files, by the files on disk. */
export function getObjects({ dataDir }: Server): number {
  const folder = path.join(dataDir, 'state/r2');
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => /octavo-files\/blobs\/./.test(entry)).length;
}

/**
 * Waits until the bucket contains `count` objects. Their files disappear from disk shortly after the objects are
 * deleted.
 */
export const waitForObjects = (server: Server, count: number): Promise<true> =>
  until(() => getObjects(server) === count || undefined);

/** Returns the current stage of a space's purge; undefined before and after the purge. */
export const getStage = ({ dataDir }: Server, space: string): string | undefined =>
  queryDatabase<{ stage: string }>(
    dataDir,
    "SELECT data->>'stage' AS stage FROM outbox WHERE type = 'purge_space' AND space = ? AND done_at IS NULL",
    space,
  )[0]?.stage;

export interface StepCost {
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

/**
 * Returns the cost of each job step of a space from the log, by stage. A log line is written shortly after the step.
 */
export function getCosts(
  { dataDir }: Server,
  space: string,
  type = 'purge_space',
): Promise<Record<string, StepCost[]>> {
  const stages = new Map(
    queryDatabase<{ id: string; stage: string }>(
      dataDir,
      `SELECT id, COALESCE(data->>'stage', CASE WHEN data->>'cut' IS NULL THEN 'copy' ELSE 'cut' END) AS stage
        FROM outbox WHERE type = ? AND space = ? AND done_at IS NOT NULL`,
      ...[type, space],
    ).map(({ id, stage }) => [id, stage]),
  );
  return until(() => {
    const logLines = readLogLines<StepCost & { event?: string }>(dataDir, '"event":');
    const steps = logLines.filter(({ event }) => stages.has(event ?? ''));
    if (new Set(steps.map(({ event }) => event)).size < stages.size) return undefined;
    const byStage = Object.groupBy(steps, ({ event }) => stages.get(event ?? '') ?? '');
    return Object.fromEntries(
      Object.entries(byStage).map(([stage, each = []]) => [
        stage,
        each.map(({ trips, rowsRead, rowsWritten }) => ({ trips, rowsRead, rowsWritten })),
      ]),
    );
  });
}
