import { getCurrentRevision } from './get-current-revision.ts';
import { getRevisionById } from './get-revision-by-id.ts';
import { getRevisionOfChangeRequestById } from './get-revision-of-change-request-by-id.ts';

export const revisionsHandlers = {
  getCurrentRevision,
  getRevisionOfChangeRequestById,
  getRevisionById,
};
