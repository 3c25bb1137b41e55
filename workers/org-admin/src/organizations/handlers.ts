import { createOrganization } from './create-organization.ts';
import { getOrganizationById } from './get-organization-by-id.ts';
import { listOrganizationsForAuthenticatedUser } from './list-organizations-for-authenticated-user.ts';

export const organizationsHandlers = {
  createOrganization,
  listOrganizationsForAuthenticatedUser,
  getOrganizationById,
};
