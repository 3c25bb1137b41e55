import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

/** An extension of the GitBook API. */
export const suggestionEndpoints = contract({
  applySuggestionInChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/apply',
    summary: 'Apply the suggestion of a comment on a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id, changeRequestId: Id, commentId: Id }),
    response: ChangeRequest,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
  },
});
