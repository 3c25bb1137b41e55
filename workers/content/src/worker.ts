import { consume, implement, sweepOutbox } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { changesHandlers } from './changes/handlers.ts';
import { collectionsHandlers } from './collections/handlers.ts';
import type { ContentEnvironment } from './environment.ts';
import { pagesHandlers } from './pages/handlers.ts';
import { revisionsHandlers } from './revisions/handlers.ts';
import { handleContentChanged } from './search/handle-content-changed.ts';
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
});

export default {
  fetch: endpoints.fetch,
  queue: (batch, env) => consume(batch, EventMessage, (message) => handleContentChanged(message, env)),
  scheduled: (_, env) => sweepOutbox(env),
} satisfies ExportedHandler<ContentEnvironment>;
