import { implement } from '@octavo/runtime';
import { collaboration } from '@octavo/schema';
import { changeRequestHandlers } from './change-requests/handlers.ts';
import type { CollaborationEnvironment } from './environment.ts';
import { pdfHandlers } from './pdf/handlers.ts';

export default implement<typeof collaboration, CollaborationEnvironment>(collaboration, {
  ...changeRequestHandlers,
  ...pdfHandlers,
}) satisfies ExportedHandler<CollaborationEnvironment>;
