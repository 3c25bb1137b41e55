import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list } from '../list.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { PageType } from './pages.ts';
import { Space } from './spaces.ts';

/** A page or file that was deleted from the live content. `revision` is the last revision that contains it. */
export const DeletedContent = z
  .object({
    object: z.literal('deleted-content'),
    kind: z.enum(['page', 'file']),
    id: z.string(),
    title: z.string(),
    type: PageType.optional(),
    parent: z.string().optional(),
    revision: z.string(),
    deletedAt: Timestamp,
    deletedBy: User,
  })
  .meta({ id: 'DeletedContent' });
export type DeletedContent = z.infer<typeof DeletedContent>;

/** Extensions of the GitBook API. */
export const trashEndpoints = contract({
  listDeletedSpacesInOrganization: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/trash',
    summary: 'List the deleted spaces of an organization',
    access: { organization: 'view' },
    scope: 'space:read',
    params: z.object({ organizationId: Id }),
    query: FilteredPageQuery,
    response: list(Space),
    success: 200,
    hidesCost: 'from-members',
  },
  listDeletedContent: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/trash',
    summary: 'List the deleted pages and files of a space',
    access: { space: 'edit' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: FilteredPageQuery,
    response: list(DeletedContent),
    success: 200,
  },
});
