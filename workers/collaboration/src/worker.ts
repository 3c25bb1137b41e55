import { implement } from '@octavo/runtime';
import { collaboration } from '@octavo/schema';
import { changeRequestHandlers } from './change-requests/handlers.ts';
import { commenterHandlers } from './commenters/handlers.ts';
import { commentHandlers } from './comments/handlers.ts';
import type { CollaborationEnvironment } from './environment.ts';
import { pdfHandlers } from './pdf/handlers.ts';
import { replyHandlers } from './replies/handlers.ts';
import { reviewerHandlers } from './reviewers/handlers.ts';
import { reviewHandlers } from './reviews/handlers.ts';

export default implement<typeof collaboration, CollaborationEnvironment>(collaboration, {
  ...changeRequestHandlers,
  ...reviewHandlers,
  ...reviewerHandlers,
  ...commentHandlers,
  ...replyHandlers,
  ...commenterHandlers,
  ...pdfHandlers,
}) satisfies ExportedHandler<CollaborationEnvironment>;
