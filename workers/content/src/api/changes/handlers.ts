import { getChangeRequestChanges } from './get-change-request-changes.ts';
import { getRevisionSemanticChanges } from './get-revision-semantic-changes.ts';
import { updateChangeRequestContent } from './update-change-request-content.ts';
import { updateSpaceContent } from './update-space-content.ts';

export const changesHandlers = {
  updateChangeRequestContent,
  updateSpaceContent,
  getChangeRequestChanges,
  getRevisionSemanticChanges,
};
