import { getChangeRequestReviewById } from './get-change-request-review-by-id.ts';
import { getContributorsByChangeRequestId } from './get-contributors-by-change-request-id.ts';
import { getReviewsByChangeRequestId } from './get-reviews-by-change-request-id.ts';
import { submitChangeRequestReview } from './submit-change-request-review.ts';

export const reviewHandlers = {
  getReviewsByChangeRequestId,
  submitChangeRequestReview,
  getChangeRequestReviewById,
  getContributorsByChangeRequestId,
};
