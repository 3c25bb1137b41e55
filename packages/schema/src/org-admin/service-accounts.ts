import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Role } from '../roles.ts';
import { Member } from './members.ts';
import { CreatedUserToken, DisplayName, NewToken, UserToken } from './users.ts';

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ userId: Id });
const adminAccess = { access: { organization: 'admin' }, scope: 'unscoped' } as const;

/**
 * Endpoints for service accounts: members of one organization that represent programs. Admins create their tokens. They
 * are removed like other members.
 */
export const serviceAccountEndpoints = contract({
  listServiceAccounts: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/service-accounts',
    summary: 'List the service accounts of an organization',
    params: organizationParams,
    query: PageQuery,
    response: list(Member),
    success: 200,
  },
  createServiceAccount: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/service-accounts',
    summary: 'Create a service account',
    params: organizationParams,
    body: z.object({ displayName: DisplayName, role: Role.nullable() }),
    response: Member,
    success: 201,
    location: '/v1/orgs/:organizationId/members/:id',
    errors: ['conflict'],
  },
  listServiceAccountTokens: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/service-accounts/:userId/tokens',
    summary: 'List the tokens of a service account',
    params,
    query: PageQuery,
    response: list(UserToken),
    success: 200,
  },
  createServiceAccountToken: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/service-accounts/:userId/tokens',
    summary: 'Create a token of a service account',
    params,
    body: NewToken,
    response: CreatedUserToken,
    success: 201,
    secret: true,
    errors: ['conflict'],
  },
  deleteServiceAccountToken: {
    ...adminAccess,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/service-accounts/:userId/tokens/:tokenId',
    summary: 'Revoke a token of a service account',
    params: params.extend({ tokenId: Id }),
    success: 205,
  },
});
