import { consume, implement } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { filePages } from './api/files/file-pages.ts';
import { livePages } from './api/live/live.ts';
import { metricsPages } from './api/metrics/metrics.ts';
import { uploadPages } from './api/uploads/uploads.ts';
import { addTextStore } from './engine/texts/text-store.ts';
import { handlers } from './handlers.ts';
import { runCron } from './jobs/crons.ts';
import { runJobs } from './jobs/run-jobs.ts';

export { SpaceHead } from './heads/space-head.ts';
export { Operator } from './operator.ts';
export { ContentService } from './service.ts';

import type { HeadEnvironment } from './heads/space-head.ts';

const endpoints = implement<typeof content, HeadEnvironment>(content, handlers, [
  ...filePages,
  ...livePages,
  ...uploadPages,
  ...metricsPages,
]);

export default {
  fetch: (request, env, background) => endpoints.fetch(request, addTextStore(env), background),
  queue: (batch, env, background) =>
    consume(batch, EventMessage, (messages) => runJobs(messages, addTextStore(env), background)),
  scheduled: ({ cron }, env, background) => runCron(cron, addTextStore(env), background),
} satisfies ExportedHandler<HeadEnvironment>;
