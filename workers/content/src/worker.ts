import { consume, implement, sweepOutbox } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { changesHandlers } from './changes/handlers.ts';
import { collectionsHandlers } from './collections/handlers.ts';
import type { ContentEnvironment } from './environment.ts';
import { importsHandlers } from './imports/handlers.ts';
import { resumeImports } from './imports/resume-imports.ts';
import { runJob } from './jobs/run-job.ts';
import { pagesHandlers } from './pages/handlers.ts';
import { revisionsHandlers } from './revisions/handlers.ts';
import { searchHandlers } from './search/handlers.ts';
import { spacesHandlers } from './spaces/handlers.ts';

export { ContentService } from './service.ts';
export { SpaceHead } from './space-head/space-head.ts';

const endpoints = implement<typeof content, ContentEnvironment>(content, {
  ...spacesHandlers,
  ...collectionsHandlers,
  ...revisionsHandlers,
  ...pagesHandlers,
  ...changesHandlers,
  ...searchHandlers,
  ...importsHandlers,
});

export default {
  fetch: endpoints.fetch,
  queue: (batch, env, background) => consume(batch, EventMessage, (message) => runJob(message, env, background)),
  scheduled: async (_, env, background) => {
    await Promise.all([sweepOutbox(env), resumeImports(env, background)]);
  },
} satisfies ExportedHandler<ContentEnvironment>;
