import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createLineSchema } from '../text.ts';
import { Condition, IconName, PathSegment, ShareKeyQuery, SiteTitle } from './site.ts';
import { SiteSpace } from './site-space.ts';

export const SectionDescription = createLineSchema(0, 256);

export const SiteSection = z
  .object({
    object: z.literal('site-section'),
    id: z.string(),
    title: SiteTitle,
    description: SectionDescription.optional(),
    default: z.boolean().optional(),
    path: z.string().min(1).max(100),
    condition: Condition.optional(),
    sectionGroup: z.string().optional(),
    icon: IconName.optional(),
    siteSpaces: z.array(SiteSpace),
    urls: z.object({ published: z.string().optional() }),
  })
  .meta({ id: 'SiteSection' });
export type SiteSection = z.infer<typeof SiteSection>;

/** A link to a URL outside the site, which is shown among the site's sections. */
export const SiteExternalLink = z
  .object({
    object: z.literal('site-external-link'),
    id: z.string(),
    title: SiteTitle,
    description: SectionDescription.optional(),
    icon: IconName.optional(),
    url: z.string(),
    sectionGroup: z.string().optional(),
    /** Drafts are not supported, but newer GitBook-compatible clients require the field. */
    draft: z.literal(false),
    condition: Condition.optional(),
  })
  .meta({ id: 'SiteExternalLink' });
export type SiteExternalLink = z.infer<typeof SiteExternalLink>;

export const SectionGroupTitle = createLineSchema(1, 100);

export const SiteSectionGroup = z
  .object({
    object: z.literal('site-section-group'),
    id: z.string(),
    title: SectionGroupTitle,
    icon: IconName.optional(),
    sections: z.array(SiteSection),
    /** Sections and external links, in their order. */
    children: z.array(z.discriminatedUnion('object', [SiteSection, SiteExternalLink])),
  })
  .meta({ id: 'SiteSectionGroup' });
export type SiteSectionGroup = z.infer<typeof SiteSectionGroup>;

const SectionPointer = z.object({ type: z.literal('site-section'), siteSection: Id });

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSectionId: Id });

const AddSection = z.object({
  spaceId: Id,
  title: SiteTitle.nullable().optional(),
  icon: IconName.nullable().optional(),
});

/** Omitted fields are unchanged; null removes a value. */
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
    summary: 'List the sections of a site',
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
    summary: 'Add a section to a site',
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
    summary: 'Change a section',
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
    summary: 'Delete a section',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
  moveSiteSection: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/sections/:siteSectionId/move',
    summary: 'Move a section',
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

const groupParams = siteParams.extend({ siteSectionGroupId: Id });
const access = { site: 'manage' } as const;
const scope = 'site:write';
const groups = '/v1/orgs/:organizationId/sites/:siteId/section-groups' as const;
const GroupPointer = z.object({ type: z.literal('site-section-group'), siteSectionGroup: Id });

export const sectionGroupEndpoints = contract({
  listSiteSectionGroups: {
    method: 'GET',
    path: groups,
    summary: 'List the section groups of a site',
    access: { site: 'view' },
    scope: 'site:read',
    params: siteParams,
    query: PageQuery,
    response: list(SiteSectionGroup),
    success: 200,
    hidesCost: 'from-members',
  },
  addSectionGroupToSite: {
    method: 'POST',
    path: groups,
    summary: 'Add a section group to a site',
    access,
    scope,
    params: siteParams,
    body: z.object({
      title: SectionGroupTitle,
      icon: IconName.nullable().optional(),
      sections: z.array(Id).max(100).default([]),
    }),
    response: SiteSectionGroup,
    success: 201,
    errors: ['conflict'],
  },
  updateSiteSectionGroupById: {
    method: 'PATCH',
    path: `${groups}/:siteSectionGroupId`,
    summary: 'Change a section group',
    access,
    scope,
    params: groupParams,
    body: z.object({ title: SectionGroupTitle.optional(), icon: IconName.nullable().optional() }).prefault({}),
    response: SiteSectionGroup,
    success: 200,
  },
  deleteSiteSectionGroupById: {
    method: 'DELETE',
    path: `${groups}/:siteSectionGroupId`,
    summary: 'Delete a section group',
    access,
    scope,
    params: groupParams,
    success: 205,
  },
  addSectionToGroup: {
    method: 'POST',
    path: `${groups}/:siteSectionGroupId/sections`,
    summary: 'Add a section to a section group',
    access,
    scope,
    params: groupParams,
    body: z.object({ sectionId: Id }),
    response: SiteSectionGroup,
    success: 201,
  },
  removeSectionFromGroup: {
    method: 'DELETE',
    path: `${groups}/:siteSectionGroupId/sections/:siteSectionId`,
    summary: 'Remove a section from a section group',
    access,
    scope,
    params: groupParams.extend({ siteSectionId: Id }),
    success: 205,
  },
  moveSiteSectionGroup: {
    method: 'POST',
    path: `${groups}/:siteSectionGroupId/move`,
    summary: 'Move a section group',
    access,
    scope,
    params: groupParams,
    body: z
      .object({ position: z.object({ before: GroupPointer.optional(), after: GroupPointer.optional() }).optional() })
      .prefault({}),
    response: SiteSectionGroup,
    success: 200,
    errors: ['conflict'],
    deprecated: true,
  },
});
