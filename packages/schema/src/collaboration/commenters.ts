import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Member } from '../org-admin/members.ts';

export const commenterEndpoints = contract({
  listCommentersInSpace: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/commenters',
    summary:
      'List the members who commented on the live content of a space or replied there; guests find only themselves',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: PageQuery,
    response: list(Member),
    success: 200,
  },
  listCommentersInChangeRequest: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/commenters',
    summary: 'List the members who commented on a change request or replied there; guests find only themselves',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    query: PageQuery,
    response: list(Member),
    success: 200,
  },
});
