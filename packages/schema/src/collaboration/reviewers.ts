import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { Description, Subject } from './change-request.ts';

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

const params = z.object({ spaceId: Id, changeRequestId: Id });

export const reviewerEndpoints = contract({
  getRequestedReviewersByChangeRequestId: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers',
    summary: 'List those who were asked to review a change request and have not yet',
    access: { space: 'access' },
    scope: 'space:read',
    params,
    query: PageQuery,
    response: list(RequestedReviewer),
    success: 200,
  },
  requestReviewersForChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers',
    summary: 'Ask users and teams to review a change request; a draft becomes open',
    access: { space: 'edit' },
    scope: 'space:write',
    params,
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
    summary: 'Take back the request for a review by a user or a team',
    access: { space: 'edit', or: 'self' },
    scope: 'space:write',
    params: params.extend({ userId: Id }),
    success: 205,
  },
});
