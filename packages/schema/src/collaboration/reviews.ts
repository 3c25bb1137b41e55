import * as z from 'zod';
import { ContentFormat } from '../content/pages.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, PageQuery } from '../list.ts';
import { queryFilter } from '../query.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { Description, Subject } from './change-requests.ts';
import { Comment, OptionalCommentBody } from './comments.ts';

export const ReviewStatus = z.enum(['approved', 'changes-requested']).meta({ id: 'ReviewStatus' });
export type ReviewStatus = z.infer<typeof ReviewStatus>;

/** A review. `requestedBy` is set if another user requested the review. */
export const Review = z
  .object({
    object: z.literal('change-request-review'),
    id: z.string(),
    revision: z.string(),
    reviewer: User,
    requestedBy: User.optional(),
    status: ReviewStatus,
    outdated: z.boolean(),
    comment: Comment.optional(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Review' });
export type Review = z.infer<typeof Review>;

/** A user who edited or commented on a change request, and how often. A user who did both has two entries. */
export const Contributor = z
  .object({
    user: User,
    actionType: z.enum(['edit', 'comment']),
    count: z.number().int(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'Contributor' });
export type Contributor = z.infer<typeof Contributor>;

const params = z.object({ spaceId: Id, changeRequestId: Id });

export const reviewEndpoints = contract({
  getReviewsByChangeRequestId: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/reviews',
    summary: 'List the reviews of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params,
    query: FilteredPageQuery.extend({ format: ContentFormat, outdated: queryFilter }),
    response: list(Review),
    success: 200,
  },
  submitChangeRequestReview: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/reviews',
    summary: 'Review a change request',
    access: { space: 'review', or: 'requested' },
    scope: 'space:write',
    params,
    body: z.object({ status: ReviewStatus, comment: OptionalCommentBody.optional() }),
    response: Review,
    success: 201,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
  },
  getChangeRequestReviewById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/reviews/:reviewId',
    summary: 'Get a review of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params: params.extend({ reviewId: Id }),
    query: z.object({ format: ContentFormat }),
    response: Review,
    success: 200,
  },
  getContributorsByChangeRequestId: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/contributors',
    summary: 'List the contributors of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params,
    query: PageQuery,
    response: list(Contributor),
    success: 200,
  },
});

const request = {
  object: z.literal('change-request-requested-reviewer'),
  revision: z.string(),
  requestedBy: User,
  createdAt: Timestamp,
};

export const RequestedReviewer = z
  .discriminatedUnion('kind', [
    z.object({ ...request, kind: z.literal('user'), user: User }),
    z.object({
      ...request,
      kind: z.literal('team'),
      team: z.object({ object: z.literal('team'), id: z.string() }),
    }),
  ])
  .meta({ id: 'RequestedReviewer' });
export type RequestedReviewer = z.infer<typeof RequestedReviewer>;

const reviewerParams = z.object({ spaceId: Id, changeRequestId: Id });

export const reviewerEndpoints = contract({
  getRequestedReviewersByChangeRequestId: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers',
    summary: 'List the requested reviewers of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params: reviewerParams,
    query: PageQuery,
    response: list(RequestedReviewer),
    success: 200,
  },
  requestReviewersForChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers',
    summary: 'Request reviews of a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params: reviewerParams,
    body: z.object({
      users: z.array(Id).max(100),
      teams: z.array(Id).max(100).optional(),
      subject: Subject.optional(),
      description: Description.optional(),
    }),
    response: z.object({ users: z.array(RequestedReviewer), teams: z.array(RequestedReviewer) }),
    success: 200,
    errors: ['conflict'],
  },
  removeRequestedReviewerFromChangeRequest: {
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers/:userId',
    summary: 'Remove a requested reviewer',
    access: { space: 'edit', or: 'self' },
    scope: 'space:write',
    params: reviewerParams.extend({ userId: Id }),
    success: 205,
  },
});
