import { sweepOutbox } from '@octavo/runtime';
import { deleteExpired } from './delete-expired.ts';
import type { OrgAdminEnvironment } from './environment.ts';

type Run = (env: OrgAdminEnvironment) => Promise<unknown>;

/** What runs when, as the triggers in wrangler.toml name it. */
const crons: Record<string, Run> = {
  '* * * * *': sweepOutbox,
  '41 3 * * *': deleteExpired,
};

export async function runCron(cron: string, env: OrgAdminEnvironment): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`Nothing runs at ${cron}.`);
  await run(env);
}
