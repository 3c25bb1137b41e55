import { list, PageQuery } from '../list.ts';
import { Member } from '../org-admin/members.ts';
import { atEveryPoint } from '../points.ts';

export const commenterEndpoints = atEveryPoint({
  listCommenters: {
    method: 'GET',
    path: '/commenters',
    access: { space: 'access' },
    scope: 'space:read',
    query: PageQuery,
    response: list(Member),
    success: 200,
    at: {
      live: {
        id: 'listCommentersInSpace',
        summary:
          'List the members who commented on the live content of a space or replied there; guests find only themselves',
      },
      changeRequest: {
        id: 'listCommentersInChangeRequest',
        summary: 'List the members who commented on a change request or replied there; guests find only themselves',
      },
    },
  },
});
