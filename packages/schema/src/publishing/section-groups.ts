import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { SectionGroupTitle, SiteSectionGroup } from './section.ts';
import { IconName } from './site.ts';

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSectionGroupId: Id });
const access = { site: 'manage' } as const;
const scope = 'site:write';
const groups = '/v1/orgs/:organizationId/sites/:siteId/section-groups' as const;
const GroupPointer = z.object({ type: z.literal('site-section-group'), siteSectionGroup: Id });

export const sectionGroupEndpoints = contract({
  listSiteSectionGroups: {
    method: 'GET',
    path: groups,
    summary: 'List the section groups of a site, in their order',
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
    summary: 'Add a section group to a site, with sections of it',
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
    summary: 'Change title or icon of a section group',
    access,
    scope,
    params,
    body: z.object({ title: SectionGroupTitle.optional(), icon: IconName.nullable().optional() }).prefault({}),
    response: SiteSectionGroup,
    success: 200,
  },
  deleteSiteSectionGroupById: {
    method: 'DELETE',
    path: `${groups}/:siteSectionGroupId`,
    summary: 'Delete a section group; what it holds comes to the top level',
    access,
    scope,
    params,
    success: 205,
  },
  addSectionToGroup: {
    method: 'POST',
    path: `${groups}/:siteSectionGroupId/sections`,
    summary: 'Put a section into a section group',
    access,
    scope,
    params,
    body: z.object({ sectionId: Id }),
    response: SiteSectionGroup,
    success: 201,
  },
  removeSectionFromGroup: {
    method: 'DELETE',
    path: `${groups}/:siteSectionGroupId/sections/:siteSectionId`,
    summary: 'Take a section out of a section group',
    access,
    scope,
    params: params.extend({ siteSectionId: Id }),
    success: 205,
  },
  moveSiteSectionGroup: {
    method: 'POST',
    path: `${groups}/:siteSectionGroupId/move`,
    summary: 'Move a section group among its siblings, to the end where no position is given',
    access,
    scope,
    params,
    body: z
      .object({ position: z.object({ before: GroupPointer.optional(), after: GroupPointer.optional() }).optional() })
      .prefault({}),
    response: SiteSectionGroup,
    success: 200,
    errors: ['conflict'],
    deprecated: true,
  },
});
