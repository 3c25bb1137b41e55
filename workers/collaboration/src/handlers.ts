import type { Handlers } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { createChangeRequest } from './change-requests/create-change-request.ts';
import { getChangeRequestById } from './change-requests/get-change-request-by-id.ts';
import { listChangeRequestsForOrganization } from './change-requests/list-change-requests-for-organization.ts';
import { listChangeRequestsForSpace } from './change-requests/list-change-requests-for-space.ts';
import { mergeChangeRequest } from './change-requests/merge-change-request.ts';
import { updateChangeRequest } from './change-requests/update-change-request.ts';
import { updateChangeRequestById } from './change-requests/update-change-request-by-id.ts';
import { listCommenters } from './commenters/list-commenters.ts';
import { deleteComment } from './comments/delete-comment.ts';
import { getComment } from './comments/get-comment.ts';
import { listComments } from './comments/list-comments.ts';
import { postComment } from './comments/post-comment.ts';
import { updateComment } from './comments/update-comment.ts';
import type { CollaborationEnvironment } from './environment.ts';
import { getPDF } from './pdf/get-pdf.ts';
import { deleteCommentReply } from './replies/delete-comment-reply.ts';
import { getCommentReply } from './replies/get-comment-reply.ts';
import { listCommentReplies } from './replies/list-comment-replies.ts';
import { postCommentReply } from './replies/post-comment-reply.ts';
import { updateCommentReply } from './replies/update-comment-reply.ts';
import { getRequestedReviewersByChangeRequestId } from './reviewers/get-requested-reviewers-by-change-request-id.ts';
import { removeRequestedReviewerFromChangeRequest } from './reviewers/remove-requested-reviewer-from-change-request.ts';
import { requestReviewersForChangeRequest } from './reviewers/request-reviewers-for-change-request.ts';
import { getChangeRequestReviewById } from './reviews/get-change-request-review-by-id.ts';
import { getContributorsByChangeRequestId } from './reviews/get-contributors-by-change-request-id.ts';
import { getReviewsByChangeRequestId } from './reviews/get-reviews-by-change-request-id.ts';
import { submitChangeRequestReview } from './reviews/submit-change-request-review.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof collaboration, CollaborationEnvironment> = {
  createChangeRequest,
  getChangeRequestById,
  listChangeRequestsForOrganization,
  listChangeRequestsForSpace,
  mergeChangeRequest,
  updateChangeRequestById,
  updateChangeRequest,
  listCommenters,
  deleteComment,
  getComment,
  listComments,
  postComment,
  updateComment,
  getPDF,
  deleteCommentReply,
  getCommentReply,
  listCommentReplies,
  postCommentReply,
  updateCommentReply,
  getRequestedReviewersByChangeRequestId,
  removeRequestedReviewerFromChangeRequest,
  requestReviewersForChangeRequest,
  getChangeRequestReviewById,
  getContributorsByChangeRequestId,
  getReviewsByChangeRequestId,
  submitChangeRequestReview,
};
