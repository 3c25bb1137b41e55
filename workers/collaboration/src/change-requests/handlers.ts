import { createChangeRequest } from './create-change-request.ts';
import { getChangeRequestById } from './get-change-request-by-id.ts';
import { listChangeRequestsForOrganization } from './list-change-requests-for-organization.ts';
import { listChangeRequestsForSpace } from './list-change-requests-for-space.ts';
import { mergeChangeRequest } from './merge-change-request.ts';
import { updateChangeRequest } from './update-change-request.ts';
import { updateChangeRequestById } from './update-change-request-by-id.ts';

export const changeRequestHandlers = {
  listChangeRequestsForSpace,
  listChangeRequestsForOrganization,
  createChangeRequest,
  getChangeRequestById,
  updateChangeRequestById,
  mergeChangeRequest,
  updateChangeRequest,
};
