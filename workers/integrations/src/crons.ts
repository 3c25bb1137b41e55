import { createCronRunner, sweepOutbox } from '@octavo/runtime';
import { generateDueContents } from './computing/generate-due-contents.ts';
import { deleteOldDeliveries, sweepDeliveries } from './deliveries/sweep-deliveries.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import { settleAllPending } from './installations/settle-pending.ts';
import { deleteOldEvents } from './integration-events/integration-events.ts';
import { sweepObjects } from './integrations/objects.ts';
import { endAllUnpublished } from './integrations/unpublish-integration.ts';
import { resealSecrets } from './secrets/reseal.ts';
import { runDueTasks } from './tasks/tasks.ts';

/** Runs the tasks of the cron triggers in wrangler.toml. */
export const runCron = createCronRunner<IntegrationsEnvironment>('integrations', {
  '* * * * *': [sweepOutbox, sweepDeliveries, runDueTasks, endAllUnpublished, settleAllPending],
  // A separate trigger, also for each minute, because slow scripts may delay it.
  '*/1 * * * *': [generateDueContents],
  '17 3 * * *': [resealSecrets, deleteOldDeliveries, sweepObjects, deleteOldEvents],
});
