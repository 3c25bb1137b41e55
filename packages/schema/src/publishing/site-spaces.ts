import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { queryFilter } from '../query.ts';
import { Condition, PathSegment, ShareKeyQuery } from './site.ts';
import { SiteSpace } from './site-space.ts';

export * from './site-space.ts';

const SiteSpacePointer = z.object({ type: z.literal('site-space'), siteSpace: Id });

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSpaceId: Id });

/** Omitted fields are unchanged; null removes the condition. */
const UpdateSiteSpace = z
  .object({
    path: PathSegment.optional(),
    condition: Condition.nullable().optional(),
    spaceId: Id.optional(),
  })
  .prefault({});

export const siteSpaceEndpoints = contract({
  listSiteSpaces: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces',
    summary: 'List the site spaces of a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params: siteParams,
    query: PageQuery.extend({ ...ShareKeyQuery.shape, default: queryFilter }),
    response: list(SiteSpace),
    success: 200,
    hidesCost: 'from-members',
  },
  addSpaceToSite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces',
    summary: 'Add a space to a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: z.object({ spaceId: Id, sectionId: Id.optional() }),
    targets: { spaceId: { space: 'view' } },
    response: SiteSpace,
    success: 201,
    errors: ['conflict'],
  },
  updateSiteSpaceById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId',
    summary: 'Change a site space',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: UpdateSiteSpace,
    targets: { spaceId: { space: 'view' } },
    response: SiteSpace,
    success: 200,
    errors: ['conflict'],
  },
  deleteSiteSpaceById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId',
    summary: 'Remove a space from a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
  moveSiteSpace: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/move',
    summary: 'Move a site space',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z
      .object({
        position: z.object({ before: SiteSpacePointer.optional(), after: SiteSpacePointer.optional() }).optional(),
      })
      .prefault({}),
    response: SiteSpace,
    success: 200,
    errors: ['conflict'],
    deprecated: true,
  },
});
