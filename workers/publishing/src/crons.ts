import { createCronRunner, sweepOutbox } from '@octavo/runtime';
import type { PublishingEnvironment } from './environment.ts';
import { sweepFeedback } from './feedback/sweep-feedback.ts';
import { failAbandonedPdfs, sweepPdfs } from './pdfs/pdfs.ts';
import { storeReaderFiles, sweepReaderFiles } from './reader/reader-files.ts';
import { sweepStoredTexts } from './reader/rendered-documents.ts';
import { failAbandonedSpecs, rereadSpecs, sweepObjects } from './specs/maintain-specs.ts';

/** Runs the tasks of the cron triggers in wrangler.toml. */
export const runCron = createCronRunner<PublishingEnvironment>('publishing', {
  '* * * * *': [
    ...[sweepOutbox, failAbandonedPdfs, failAbandonedSpecs].map((task) => (env: PublishingEnvironment) => task(env)),
    ...[rereadSpecs, storeReaderFiles],
  ],
  '29 3 * * *': [sweepPdfs, sweepObjects, sweepStoredTexts, sweepReaderFiles, (env) => sweepFeedback(env)],
});
