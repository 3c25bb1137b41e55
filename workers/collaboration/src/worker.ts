import { implement } from '@octavo/runtime';
import { collaboration } from '@octavo/schema';
import { createChangeRequest } from './change-requests/create-change-request.ts';
import { getChangeRequestById } from './change-requests/get-change-request-by-id.ts';
import { listChangeRequestsForSpace } from './change-requests/list-change-requests-for-space.ts';
import { mergeChangeRequest } from './change-requests/merge-change-request.ts';
import { updateChangeRequest } from './change-requests/update-change-request.ts';
import { updateChangeRequestById } from './change-requests/update-change-request-by-id.ts';
import type { CollaborationEnvironment } from './environment.ts';

export default implement<typeof collaboration, CollaborationEnvironment>(collaboration, {
  listChangeRequestsForSpace,
  createChangeRequest,
  getChangeRequestById,
  updateChangeRequestById,
  mergeChangeRequest,
  updateChangeRequest,
}) satisfies ExportedHandler<CollaborationEnvironment>;
