import type { Handlers } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import * as changeRequests from './change-requests/change-requests.ts';
import * as changeRequestLists from './change-requests/list.ts';
import * as comments from './comments/comments.ts';
import * as organizationComments from './comments/organization-comments.ts';
import type { CollaborationEnvironment } from './environment.ts';
import * as pdf from './pdf/pdf.ts';
import * as replies from './replies/replies.ts';
import * as reviewers from './reviewers/reviewers.ts';
import * as reviews from './reviews/reviews.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof collaboration, CollaborationEnvironment> = {
  ...changeRequests,
  ...changeRequestLists,
  ...comments,
  ...organizationComments,
  ...pdf,
  ...replies,
  ...reviewers,
  ...reviews,
};
