import { connect, countQueries, cronRuns, fromQuery, readRow, selection } from '@octavo/db';
import { pausePrefix, workerCrons } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { describeError, log } from './respond.ts';

/** A task of a cron. It ends when its invocation has no queries left (`hasQueries`), and the next run continues. */
type CronTask<Env> = (env: Env, background: Background) => Promise<unknown>;

/**
 * Returns a function that runs the tasks of a cron trigger in parallel. A failed task does not stop the others, but the
 * run fails in the end. The time of the run is recorded for operators.
 */
export const createCronRunner =
  <Env extends Pick<Environment, 'DB'>>(worker: string, crons: Record<string, CronTask<Env>[]>) =>
  async (cron: string, env: Env, background: Background): Promise<void> => {
    const tasks = crons[cron];
    if (tasks === undefined) throw new Error(`No cron is configured for ${cron}.`);
    if (await isHalted(env))
      return log('info', 'cron skipped because the installation is paused or imported', { cron });
    const startedAt = Date.now();
    const countedEnv = countQueries(env);
    const outcomes = await Promise.allSettled(tasks.map(async (task) => task(countedEnv, background)));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    for (const cause of failures) log('error', 'task of a cron failed', { cron, cause: describeError(cause) });
    await recordRun(env, { worker, cron, startedAt, endedAt: Date.now(), failed: failures.length }, Object.keys(crons));
    if (failures.length > 0) throw new Error(`${failures.length} of ${tasks.length} tasks failed.`);
  };

const haltRow = selection({ reason: fromQuery(String), since: fromQuery(Number) });
export const findHalt = haltRow.query(sql`
  SELECT 'import' AS reason, started_at AS since FROM installation_imports
  UNION ALL SELECT 'pause', 0 FROM sqlite_master
    WHERE type = 'trigger' AND substr(name, 1, ${sql.raw(String(pausePrefix.length))}) = ${pausePrefix}
  LIMIT 1`);

/**
 * Whether writes are paused, or the rows of another installation are being imported. Crons could not record what they
 * did, or would see only some of the rows.
 */
export const isHalted = async ({ DB }: Pick<Environment, 'DB'>): Promise<boolean> =>
  (await readRow(connect(DB, { intent: 'write' }).db, findHalt)) !== undefined;

type Run = typeof cronRuns.$inferInsert;

/**
 * Replaces the record of the last run. Creates a record with this time for every cron without a record, of any worker,
 * so that a cron that never runs is reported as late. Deletes records of the worker's crons that no longer exist.
 */
async function recordRun({ DB }: Pick<Environment, 'DB'>, run: Run, crons: string[]): Promise<void> {
  const { db } = connect(DB, { intent: 'write' });
  const all = Object.entries({ ...workerCrons, [run.worker]: crons });
  const others = all
    .flatMap(([worker, list]) => list.map((cron) => ({ ...run, worker, cron, failed: 0 })))
    .filter(({ worker, cron }) => worker !== run.worker || cron !== run.cron);
  const target = [cronRuns.worker, cronRuns.cron];
  const store = async () => {
    await db
      .insert(cronRuns)
      .values([run, ...others])
      .onConflictDoUpdate({
        target,
        set: run,
        setWhere: sql`${cronRuns.worker} = ${run.worker} AND ${cronRuns.cron} = ${run.cron}`,
      });
    await db
      .delete(cronRuns)
      .where(
        sql`${cronRuns.worker} = ${run.worker} AND ${cronRuns.cron} NOT IN (SELECT value FROM json_each(${JSON.stringify(crons)}))`,
      );
  };
  await store().catch((cause: unknown) =>
    log('error', 'run of a cron not recorded', { ...run, cause: describeError(cause) }),
  );
}
