import { implement } from '@octavo/runtime';
import { collaboration } from '@octavo/schema';
import { changeRequestHandlers } from './change-requests/handlers.ts';
import type { CollaborationEnvironment } from './environment.ts';
import { reviewerHandlers } from './reviewers/handlers.ts';
import { reviewHandlers } from './reviews/handlers.ts';

export default implement<typeof collaboration, CollaborationEnvironment>(collaboration, {
  ...changeRequestHandlers,
  ...reviewHandlers,
  ...reviewerHandlers,
}) satisfies ExportedHandler<CollaborationEnvironment>;
