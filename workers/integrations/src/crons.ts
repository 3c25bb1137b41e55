import type { Background } from '@octavo/runtime';
import { sweepOutbox } from '@octavo/runtime';
import { generateDueContents } from './computing/generate-due-contents.ts';
import { deleteOldDeliveries, sweepDeliveries } from './deliveries/sweep-deliveries.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import { settleAllPending } from './installations/settle-pending.ts';
import { deleteOldEvents } from './integration-events/integration-events.ts';
import { sweepObjects } from './integrations/objects.ts';
import { endAllUnpublished } from './integrations/unpublish-integration.ts';
import { resealSecrets } from './secrets/reseal.ts';
import { runDueTasks } from './tasks/tasks.ts';

type Run = (env: IntegrationsEnvironment, background: Background) => Promise<unknown>;

/** The cron triggers of wrangler.toml with the jobs that they run. */
const crons: Record<string, Run> = {
  '* * * * *': (env, background) =>
    Promise.all([
      ...[sweepOutbox(env), sweepDeliveries(env), runDueTasks(env)],
      ...[endAllUnpublished(env, background), settleAllPending(env, background)],
    ]),
  // A separate trigger, also for each minute, because slow scripts may delay it.
  '*/1 * * * *': generateDueContents,
  '17 3 * * *': (env) =>
    Promise.all([resealSecrets(env), deleteOldDeliveries(env), sweepObjects(env), deleteOldEvents(env)]),
};

export async function runCron(cron: string, env: IntegrationsEnvironment, background: Background): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`No cron is configured for ${cron}.`);
  await run(env, background);
}
