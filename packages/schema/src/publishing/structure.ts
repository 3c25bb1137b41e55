import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { SiteStructure } from './published-site.ts';
import { SiteExternalLink, SiteSection, SiteSectionGroup } from './sections.ts';
import { ShareKeyQuery } from './site.ts';
import { SiteSpace } from './site-space.ts';

const params = z.object({ organizationId: Id, siteId: Id });

/** A reference to an object in a site's structure. */
export const StructurePointer = z.object({
  type: z.enum(['site-space', 'site-section', 'site-section-group', 'site-external-link']),
  id: Id,
});
export type StructurePointer = z.infer<typeof StructurePointer>;

export const StructureItem = z.discriminatedUnion('object', [
  SiteSpace,
  SiteSection,
  SiteSectionGroup,
  SiteExternalLink,
]);
export type StructureItem = z.infer<typeof StructureItem>;

export const structureEndpoints = contract({
  getSiteStructure: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/structure',
    summary: 'Get the structure of a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params,
    query: ShareKeyQuery,
    response: SiteStructure,
    success: 200,
    hidesCost: 'from-members',
  },
  sortSiteStructure: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/structure/sort',
    summary: 'Move an item in the structure of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z.object({
      item: StructurePointer,
      position: z.object({ before: StructurePointer.optional(), after: StructurePointer.optional() }).optional(),
    }),
    response: StructureItem,
    success: 200,
    errors: ['conflict'],
  },
});
