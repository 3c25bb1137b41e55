import { defineIntegration } from '@octavo/integration';
import { checkChangeRequest } from './check-change-request.ts';

export default defineIntegration({
  events: {
    'change_request.created': checkChangeRequest,
    'change_request.updated': checkChangeRequest,
    // A revision of a change request: its branch has the id of what it is of.
    'revision.created': async ({ spaceId, branch }, context) => {
      if (spaceId !== undefined && branch !== spaceId)
        await checkChangeRequest({ spaceId, changeRequest: branch }, context);
    },
  },
});
