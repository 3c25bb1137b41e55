import { consume, implement, servePages } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { changesHandlers } from './changes/handlers.ts';
import { collectionsHandlers } from './collections/handlers.ts';
import { runCron } from './crons.ts';
import { documentsHandlers } from './documents/handlers.ts';
import type { ContentEnvironment } from './environment.ts';
import { filePages } from './files/file-pages.ts';
import { filesHandlers } from './files/handlers.ts';
import { importsHandlers } from './imports/handlers.ts';
import { runJob } from './jobs/run-job.ts';
import { linksHandlers } from './links/handlers.ts';
import { pagesHandlers } from './pages/handlers.ts';
import { reusableContentsHandlers } from './reusable-contents/handlers.ts';
import { revisionsHandlers } from './revisions/handlers.ts';
import { searchHandlers } from './search/handlers.ts';
import { spacesHandlers } from './spaces/handlers.ts';
import { urlsHandlers } from './urls/handlers.ts';

export { Operator } from './operator/operator.ts';
export { ContentService } from './service.ts';
export { SpaceHead } from './space-head/space-head.ts';

const endpoints = implement<typeof content, ContentEnvironment>(content, {
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

const pages = servePages<ContentEnvironment>(filePages);

export default {
  fetch(request, env, background) {
    const isApi = /^\/v1(?:\/|$)/.test(new URL(request.url).pathname);
    return isApi ? endpoints.fetch(request, env, background) : pages(request, env, background);
  },
  queue: (batch, env, background) => consume(batch, EventMessage, (message) => runJob(message, env, background)),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<ContentEnvironment>;
