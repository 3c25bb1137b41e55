import { sweepOutbox } from '@octavo/runtime';
import type { PublishingEnvironment } from './environment.ts';
import { failAbandonedPdfs, sweepPdfs } from './pdfs/sweep-pdfs.ts';

type Run = (env: PublishingEnvironment) => Promise<unknown>;

/** What runs when, as the triggers in wrangler.toml name it. */
const crons: Record<string, Run> = {
  '* * * * *': (env) => Promise.all([sweepOutbox(env), failAbandonedPdfs(env)]),
  '29 3 * * *': sweepPdfs,
};

export async function runCron(cron: string, env: PublishingEnvironment): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`Nothing runs at ${cron}.`);
  await run(env);
}
