import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';

const Name = z.string().max(50);

export const ShareLink = z
  .object({
    object: z.literal('share-link'),
    id: z.string(),
    createdAt: Timestamp,
    name: Name.optional(),
    active: z.boolean().optional(),
    urls: z.object({ published: z.string().optional() }),
  })
  .meta({ id: 'ShareLink' });
export type ShareLink = z.infer<typeof ShareLink>;

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ shareLinkId: Id });

export const shareLinkEndpoints = contract({
  listSiteShareLinks: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/share-links',
    summary: 'List the share links of a site',
    access: { site: 'manage' },
    scope: 'site:auth:read',
    params: siteParams,
    query: PageQuery,
    response: list(ShareLink),
    success: 200,
  },
  createSiteShareLink: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/share-links',
    summary: 'Create a share link',
    access: { site: 'manage' },
    scope: 'site:auth:write',
    params: siteParams,
    body: z.object({ name: Name }),
    response: ShareLink,
    success: 201,
  },
  updateSiteShareLinkById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/share-links/:shareLinkId',
    summary: 'Change a share link',
    access: { site: 'manage' },
    scope: 'site:auth:write',
    params,
    body: z.object({ active: z.boolean().optional(), name: Name.optional() }).prefault({}),
    response: ShareLink,
    success: 200,
  },
  deleteSiteShareLinkById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/share-links/:shareLinkId',
    summary: 'Delete a share link',
    access: { site: 'manage' },
    scope: 'site:auth:write',
    params,
    success: 205,
  },
});
