import { implement } from '@octavo/runtime';
import { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from './environment.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { getOrganizationById } from './organizations/get-organization-by-id.ts';
import { listOrganizationsForAuthenticatedUser } from './organizations/list-organizations-for-authenticated-user.ts';
import { createUserToken } from './users/create-user-token.ts';
import { deleteUserToken } from './users/delete-user-token.ts';
import { getAuthenticatedUser } from './users/get-authenticated-user.ts';
import { getUserById } from './users/get-user-by-id.ts';
import { listUserTokens } from './users/list-user-tokens.ts';

export { Operator } from './operator/operator.ts';

export default implement<typeof orgAdmin, OrgAdminEnvironment>(orgAdmin, {
  getAuthenticatedUser,
  getUserById,
  listUserTokens,
  createUserToken,
  deleteUserToken,
  createOrganization,
  listOrganizationsForAuthenticatedUser,
  getOrganizationById,
}) satisfies ExportedHandler<OrgAdminEnvironment>;
