import type { Check } from '@octavo/db';
import { commitChecked, integrationTasks } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { ApiError, maxWaitingTasks, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { runDueTasks } from './run-due-tasks.ts';

export const queueIntegrationTask: Handler<typeof integrations.queueIntegrationTask, IntegrationsEnvironment> = async (
  { body: { task, schedule } },
  { db, env, background, actor, commit, integration: { integration } },
) => {
  const { name, organization } = integration;
  const now = Date.now();
  const times = { runAt: now + Math.round(schedule * 1000), createdAt: now };
  const hasRoom: Check = {
    holds: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM integration_tasks WHERE integration = ${name}
      AND organization = ${organization} LIMIT ${maxWaitingTasks})) < ${maxWaitingTasks}`,
    otherwise: () => new ApiError('conflict', `The integration has ${maxWaitingTasks} tasks that wait already.`),
  };
  const row = { id: newId('event'), integration: name, organization, task, depth: actor.depth, ...times };
  const put = db.insert(integrationTasks).values(row);
  await commitChecked(db, [hasRoom], (guards) => commit({ guards, put }, []));
  if (schedule === 0) background.waitUntil(runDueTasks(env));
};
