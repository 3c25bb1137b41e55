import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { SectionDescription, SiteSection } from './section.ts';
import { Condition, IconName, PathSegment, SiteTitle } from './site.ts';
import { ShareKeyQuery } from './sites.ts';

export * from './section.ts';

const SectionPointer = z.object({ type: z.literal('site-section'), siteSection: Id });

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSectionId: Id });

const AddSection = z.object({
  spaceId: Id,
  title: SiteTitle.nullable().optional(),
  icon: IconName.nullable().optional(),
});

/** What is left out stays; null takes it away. */
const UpdateSection = z
  .object({
    title: SiteTitle.optional(),
    path: PathSegment.optional(),
    defaultSiteSpace: Id.optional(),
    condition: Condition.nullable().optional(),
    icon: IconName.nullable().optional(),
    description: SectionDescription.nullable().optional(),
    siteSectionGroupId: Id.nullable().optional(),
  })
  .prefault({});

export const sectionEndpoints = contract({
  listSiteSections: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections',
    summary: 'List the sections of a site, in their order',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params: siteParams,
    query: PageQuery.extend(ShareKeyQuery.shape),
    response: list(SiteSection),
    success: 200,
    hidesCost: 'from-members',
  },
  addSectionToSite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections',
    summary: 'Add a section with a first space to a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: AddSection,
    targets: { spaceId: { space: 'view' } },
    response: SiteSection,
    success: 201,
    errors: ['conflict'],
  },
  updateSiteSectionById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections/:siteSectionId',
    summary: 'Change a section of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: UpdateSection,
    response: SiteSection,
    success: 200,
    errors: ['conflict'],
  },
  deleteSiteSectionById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections/:siteSectionId',
    summary: 'Delete a section of a site; its spaces stay',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
  moveSiteSection: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections/:siteSectionId/move',
    summary: 'Move a section among its siblings, to the end where no position is given',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z
      .object({
        position: z.object({ before: SectionPointer.optional(), after: SectionPointer.optional() }).optional(),
      })
      .prefault({}),
    response: SiteSection,
    success: 200,
    errors: ['conflict'],
    deprecated: true,
  },
});
