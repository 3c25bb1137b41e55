import { consume, implement, servePages } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { changesHandlers } from './api/changes/handlers.ts';
import { collectionsHandlers } from './api/collections/handlers.ts';
import { documentsHandlers } from './api/documents/handlers.ts';
import { filePages } from './api/files/file-pages.ts';
import { filesHandlers } from './api/files/handlers.ts';
import { importsHandlers } from './api/imports/handlers.ts';
import { linksHandlers } from './api/links/handlers.ts';
import { pagesHandlers } from './api/pages/handlers.ts';
import { reusableContentsHandlers } from './api/reusable-contents/handlers.ts';
import { revisionsHandlers } from './api/revisions/handlers.ts';
import { searchHandlers } from './api/search/handlers.ts';
import { spacesHandlers } from './api/spaces/handlers.ts';
import { urlsHandlers } from './api/urls/handlers.ts';
import { runCron } from './jobs/crons.ts';
import { runJob } from './jobs/run-job.ts';

export { SpaceHead } from './heads/space-head.ts';
export { Operator } from './operator.ts';
export { ContentService } from './service.ts';

import type { HeadEnvironment } from './heads/head-of.ts';

const endpoints = implement<typeof content, HeadEnvironment>(content, {
  ...spacesHandlers,
  ...collectionsHandlers,
  ...revisionsHandlers,
  ...pagesHandlers,
  ...reusableContentsHandlers,
  ...filesHandlers,
  ...documentsHandlers,
  ...changesHandlers,
  ...linksHandlers,
  ...searchHandlers,
  ...urlsHandlers,
  ...importsHandlers,
});

const pages = servePages<HeadEnvironment>(filePages);

export default {
  fetch(request, env, background) {
    const isApi = /^\/v1(?:\/|$)/.test(new URL(request.url).pathname);
    return isApi ? endpoints.fetch(request, env, background) : pages(request, env, background);
  },
  queue: (batch, env, background) => consume(batch, EventMessage, (message) => runJob(message, env, background)),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<HeadEnvironment>;
