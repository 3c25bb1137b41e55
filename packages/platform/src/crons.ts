import { Cron } from 'croner';
import type { Log } from './log.ts';
import { mailCrons } from './mail-worker.ts';
import type { Manifest } from './manifest.ts';
import type { Operator } from './operator.ts';

/** Miniflare fires no cron by itself. A run that lasts longer than its interval is not started twice. */
export function scheduleCrons({ workers }: Manifest, operator: Operator, log: Log): () => void {
  const jobs = [...workers, mailCrons].flatMap(({ name, crons }) =>
    crons.map((cron) => {
      const failed = (reason: unknown) => log.write('error', `The cron "${cron}" of ${name} failed: ${reason}`);
      return new Cron(cron, { protect: true, timezone: 'UTC', unref: true }, async () => {
        const outcome = await operator.dispatchCron(name, cron).catch(failed);
        if (outcome !== undefined && outcome !== 'ok') failed(outcome);
      });
    }),
  );
  return () => {
    for (const job of jobs) job.stop();
  };
}
