import { defineIntegration } from '@octavo/integration';
import { checkChangeRequest } from './check-change-request.ts';

export default defineIntegration({
  events: {
    'change_request.created': checkChangeRequest,
    'change_request.updated': checkChangeRequest,
    // Skips live content, whose branch has the id of the space. The branch of a change request has the id of the change
    // request.
    'revision.created': async ({ spaceId, branch }, context) => {
      if (spaceId !== undefined && branch !== spaceId)
        await checkChangeRequest({ spaceId, changeRequest: branch }, context);
    },
  },
});
