import type { Check, Database } from '@octavo/db';
import { commitChecked, connect, hasQueries, integrationTasks, readRows, selection } from '@octavo/db';
import { createUrls, describeError, log } from '@octavo/runtime';
import { ApiError, createId, maxWaitingTasks } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { callScript } from '../scripts/call-script.ts';
import { getFailure } from '../scripts/record-run.ts';
import { readTarget } from '../scripts/script-target.ts';

export const queueIntegrationTask = handler(
  'queueIntegrationTask',
  async ({ body: { task, schedule } }, { db, env, background, actor, commit, integration: { integration } }) => {
    const { name, organization } = integration;
    const now = Date.now();
    const times = { runAt: now + Math.round(schedule * 1000), createdAt: now };
    const hasRoom: Check = {
      condition: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM integration_tasks WHERE integration = ${name}
      AND organization = ${organization} LIMIT ${maxWaitingTasks})) < ${maxWaitingTasks}`,
      createError: () => new ApiError('conflict', `The integration already has ${maxWaitingTasks} pending tasks.`),
    };
    const row = { id: createId('event'), integration: name, organization, task, depth: actor.depth, ...times };
    const put = db.insert(integrationTasks).values(row);
    await commitChecked(db, [hasRoom], (guards) => commit({ guards, put }, []));
    if (schedule === 0) background.waitUntil(runDueTasks(env));
    return undefined;
  },
);

/** Limits of one run: tasks in total, and concurrent tasks. A task has at most `maxAttempts` attempts. */
const maxTasks = 50;
const maxAtOnce = 4;
/** Maximum number of queries of a task. A task reads its script and records the run. */
const maxQueriesPerTask = 15;
const maxAttempts = 5;
/** A task that is not completed becomes due again after this time, multiplied by the number of its attempts. */
const againAfterMilliseconds = 120_000;

const taskRow = selection({
  id: integrationTasks.id,
  integration: integrationTasks.integration,
  organization: integrationTasks.organization,
  task: integrationTasks.task,
  attempts: integrationTasks.attempts,
  depth: integrationTasks.depth,
});
type Task = Pick<typeof integrationTasks.$inferSelect, keyof typeof taskRow.fields>;

/** Leases due tasks, oldest first, so that no other run takes them. */
const leaseTasks = (db: Database, limit: number): Promise<Task[]> => {
  const now = Date.now();
  return readRows(
    db,
    taskRow.query(sql`
      UPDATE integration_tasks SET attempts = attempts + 1, run_at = ${now} + ${againAfterMilliseconds} * (attempts + 1)
      WHERE id IN (SELECT id FROM integration_tasks INDEXED BY integration_tasks_due
        WHERE run_at <= ${now} ORDER BY run_at LIMIT ${limit})
      RETURNING ${taskRow}`),
  );
};

async function runTask(
  env: IntegrationsEnvironment,
  db: Database,
  { id, integration, organization, task, attempts, depth }: Task,
) {
  const target = await readTarget(db, { integration });
  // If `attempts` exceeds the maximum, the last attempt was interrupted, and the task is deleted.
  let isDone = target?.visibleIntegration.integration.organization !== organization || attempts > maxAttempts;
  if (target !== undefined && !isDone) {
    const event = { eventId: id, type: 'task', task };
    const outcome = await callScript({ env, db, urls: createUrls(env) }, target, { event, depth });
    isDone = getFailure(outcome) === undefined || attempts >= maxAttempts;
  }
  if (isDone) await db.delete(integrationTasks).where(sql`${integrationTasks.id} = ${id}`);
}

/** Runs due tasks in parts. Failed and interrupted tasks are retried a few times. */
export async function runDueTasks(env: IntegrationsEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (
    let remaining = maxTasks;
    remaining > 0 && hasQueries(env, maxAtOnce * maxQueriesPerTask);
    remaining -= maxAtOnce
  ) {
    const tasks = await leaseTasks(db, Math.min(remaining, maxAtOnce));
    const settled = await Promise.allSettled(tasks.map((task) => runTask(env, db, task)));
    for (const one of settled)
      if (one.status === 'rejected') log('error', 'integration task failed', { cause: describeError(one.reason) });
    if (tasks.length < maxAtOnce) return;
  }
}
