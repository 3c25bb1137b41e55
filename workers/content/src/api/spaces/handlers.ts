import { createSpace } from './create-space.ts';
import { deleteSpaceById } from './delete-space-by-id.ts';
import { duplicateSpace } from './duplicate-space.ts';
import { getSpaceById } from './get-space-by-id.ts';
import { listSpacesInOrganizationById } from './list-spaces-in-organization-by-id.ts';
import { moveSpace } from './move-space.ts';
import { restoreSpace } from './restore-space.ts';
import { transferSpace } from './transfer-space.ts';
import { updateSpaceById } from './update-space-by-id.ts';

export const spacesHandlers = {
  createSpace,
  listSpacesInOrganizationById,
  getSpaceById,
  updateSpaceById,
  deleteSpaceById,
  duplicateSpace,
  restoreSpace,
  moveSpace,
  transferSpace,
};
