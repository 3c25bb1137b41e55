import { createOrganization } from './create-organization.ts';
import { getOrganizationById } from './get-organization-by-id.ts';
import { getOrganizationsForEmailDomain } from './get-organizations-for-email-domain.ts';
import { listOrganizationsForAuthenticatedUser } from './list-organizations-for-authenticated-user.ts';
import { updateOrganizationById } from './update-organization-by-id.ts';

export const organizationsHandlers = {
  createOrganization,
  listOrganizationsForAuthenticatedUser,
  getOrganizationById,
  updateOrganizationById,
  getOrganizationsForEmailDomain,
};
