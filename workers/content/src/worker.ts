import { consume, implement, servePages } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { filePages } from './api/files/file-pages.ts';
import { uploadPages } from './api/uploads/uploads.ts';
import { handlers } from './handlers.ts';
import { runCron } from './jobs/crons.ts';
import { runJobs } from './jobs/run-jobs.ts';

export { SpaceHead } from './heads/space-head.ts';
export { Operator } from './operator.ts';
export { ContentService } from './service.ts';

import type { HeadEnvironment } from './heads/space-head.ts';

const endpoints = implement<typeof content, HeadEnvironment>(content, handlers);

const pages = servePages<HeadEnvironment>([...filePages, ...uploadPages]);

export default {
  fetch(request, env, background) {
    const url = new URL(request.url);
    const isApi = /^\/v1(?:\/|$)/.test(url.pathname);
    return isApi ? endpoints.fetch(request, env, background, url) : pages(request, env, background);
  },
  queue: (batch, env, background) => consume(batch, EventMessage, (messages) => runJobs(messages, env, background)),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<HeadEnvironment>;
