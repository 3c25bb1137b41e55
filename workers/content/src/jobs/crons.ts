import type { Background } from '@octavo/runtime';
import { forgetIdempotencyKeys, forgetSettledEvents, sweepOutbox } from '@octavo/runtime';
import type { HeadEnvironment } from '../heads/space-head.ts';
import { forgetEmbeds } from './forget-embeds.ts';
import { queueJobs } from './queue-jobs.ts';
import { resumeImports } from './resume-imports.ts';
import { sweepArchives } from './sweep-archives.ts';

type Run = (env: HeadEnvironment, background: Background) => Promise<unknown>;

/** What runs when, as the triggers in wrangler.toml name it. */
const crons: Record<string, Run> = {
  '* * * * *': (env, background) => Promise.all([sweepOutbox(env), resumeImports(env, background)]),
  '17 3 * * *': (env, background) =>
    Promise.all([
      queueJobs(env, background, [{ type: 'sweep_expired', data: {} }]),
      sweepArchives(env),
      forgetEmbeds(env),
      forgetIdempotencyKeys(env),
      forgetSettledEvents(env),
    ]),
};

export async function runCron(cron: string, env: HeadEnvironment, background: Background): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`Nothing runs at ${cron}.`);
  await run(env, background);
}
