import { consume, implement } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { filePages } from './api/files/file-pages.ts';
import { metricsPages } from './api/metrics/metrics.ts';
import { uploadPages } from './api/uploads/uploads.ts';
import { handlers } from './handlers.ts';
import { runCron } from './jobs/crons.ts';
import { runJobs } from './jobs/run-jobs.ts';

export { SpaceHead } from './heads/space-head.ts';
export { Operator } from './operator.ts';
export { ContentService } from './service.ts';

import type { HeadEnvironment } from './heads/space-head.ts';

const endpoints = implement<typeof content, HeadEnvironment>(content, handlers, [
  ...filePages,
  ...uploadPages,
  ...metricsPages,
]);

export default {
  fetch: endpoints.fetch,
  queue: (batch, env, background) => consume(batch, EventMessage, (messages) => runJobs(messages, env, background)),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<HeadEnvironment>;
