import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

export const inviteEndpoints = contract({
  deleteOrganizationInviteById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/link-invites/:inviteId',
    summary: 'Delete an invite link',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params: z.object({ organizationId: Id, inviteId: Id }),
    success: 205,
  },
});
