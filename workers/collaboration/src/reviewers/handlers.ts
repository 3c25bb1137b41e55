import { getRequestedReviewersByChangeRequestId } from './get-requested-reviewers-by-change-request-id.ts';
import { removeRequestedReviewerFromChangeRequest } from './remove-requested-reviewer-from-change-request.ts';
import { requestReviewersForChangeRequest } from './request-reviewers-for-change-request.ts';

export const reviewerHandlers = {
  getRequestedReviewersByChangeRequestId,
  requestReviewersForChangeRequest,
  removeRequestedReviewerFromChangeRequest,
};
