import { createSpace } from './create-space.ts';
import { getSpaceById } from './get-space-by-id.ts';
import { listSpacesInOrganizationById } from './list-spaces-in-organization-by-id.ts';
import { updateSpaceById } from './update-space-by-id.ts';

export const spacesHandlers = {
  createSpace,
  listSpacesInOrganizationById,
  getSpaceById,
  updateSpaceById,
};
