import type { Background } from '@octavo/runtime';
import { sweepOutbox } from '@octavo/runtime';
import type { PublishingEnvironment } from './environment.ts';
import { sweepFeedback } from './feedback/sweep-feedback.ts';
import { failAbandonedPdfs, sweepPdfs } from './pdfs/pdfs.ts';
import { failAbandonedSpecs, rereadSpecs, sweepObjects } from './specs/maintain-specs.ts';

type CronHandler = (env: PublishingEnvironment, background: Background) => Promise<unknown>;

/** Jobs by the cron triggers in wrangler.toml. */
const crons: Record<string, CronHandler> = {
  '* * * * *': (env, background) =>
    Promise.all([sweepOutbox(env), failAbandonedPdfs(env), failAbandonedSpecs(env), rereadSpecs(env, background)]),
  '29 3 * * *': (env) => Promise.all([sweepPdfs(env), sweepObjects(env), sweepFeedback(env)]),
};

export async function runCron(cron: string, env: PublishingEnvironment, background: Background): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`No cron is configured for ${cron}.`);
  await run(env, background);
}
