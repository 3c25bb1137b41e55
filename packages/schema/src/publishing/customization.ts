import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { CustomizationChanges, SiteCustomization } from './site-customization.ts';

export * from './full-customization.ts';
export * from './page-actions.ts';
export * from './site-customization.ts';

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteSpaceId: Id });

export const customizationEndpoints = contract({
  getSiteCustomizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/customization',
    summary: 'Get how a site looks, with the defaults of what nobody set',
    access: { site: 'view' },
    scope: 'site:read',
    params: siteParams,
    response: SiteCustomization,
    success: 200,
  },
  updateSiteCustomizationById: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/sites/:siteId/customization',
    summary: 'Set how a site looks, as a whole: what is left out has its default again',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: CustomizationChanges,
    response: SiteCustomization,
    success: 200,
  },
  getSiteSpaceCustomizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Get how a site space looks: as its site, but for what it has of its own',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteCustomization,
    success: 200,
  },
  overrideSiteSpaceCustomizationById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Change what a site space has of its own; null makes it follow its site again',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: CustomizationChanges,
    response: SiteCustomization,
    success: 200,
  },
  deleteSiteSpaceCustomizationById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/site-spaces/:siteSpaceId/customization',
    summary: 'Make a site space look as its site again',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
});
