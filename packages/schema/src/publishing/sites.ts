import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, queryWords } from '../list.ts';
import { queryFilter } from '../query.ts';
import { PublishedSite, SiteScript } from './published-site.ts';
import {
  AgentsContext,
  PathSegment,
  ProxyOrigin,
  ShareKeyQuery,
  Site,
  SiteHostname,
  SiteTitle,
  SiteType,
  SiteVisibility,
} from './site.ts';

export * from './published-site.ts';
export * from './site.ts';

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ siteId: Id });

/** Types of sites in a query string, as a single or repeated parameter. */
const SiteTypes = z
  .union([SiteType.transform((type) => [type]), z.array(SiteType).max(10)])
  .optional()
  .meta({ override: { type: 'array', items: { type: 'string' }, maxItems: 10 } });

const CreateSite = z
  .object({
    type: SiteType.default('basic'),
    title: SiteTitle.optional(),
    visibility: SiteVisibility.default('public'),
    spaces: z.union([z.array(Id).max(100), z.enum(['sample', 'empty'])]).optional(),
  })
  .prefault({});

const UpdateSite = z
  .object({
    title: SiteTitle.optional(),
    visibility: SiteVisibility.optional(),
    basename: PathSegment.optional(),
    adaptiveContent: z.object({ enabled: z.boolean() }).optional(),
    agentsContext: AgentsContext.optional(),
    defaultSiteSpace: Id.optional(),
    defaultSiteSection: Id.optional(),
    proxy: ProxyOrigin.nullable().optional(),
    hostname: SiteHostname.nullable().optional(),
  })
  .prefault({});

export const siteEndpoints = contract({
  listSites: {
    byInstallation: ['site:metadata:read'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites',
    summary: 'List the sites of an organization',
    access: { organization: 'view' },
    scope: 'site:read',
    params: organizationParams,
    query: FilteredPageQuery.extend({
      space: Id.optional(),
      title: queryWords(128),
      published: queryFilter,
      type: SiteTypes,
    }),
    response: list(Site),
    success: 200,
    hidesCost: 'from-members',
  },
  createSite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites',
    summary: 'Create a site',
    access: { organization: 'createContent' },
    scope: 'site:write',
    params: organizationParams,
    body: CreateSite,
    response: Site,
    success: 201,
    errors: ['conflict'],
  },
  getSiteById: {
    byInstallation: ['site:metadata:read'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId',
    summary: 'Get a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'any',
    params,
    response: Site,
    success: 200,
  },
  updateSiteById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId',
    summary: 'Change the settings of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: UpdateSite,
    response: Site,
    success: 200,
    errors: ['conflict'],
  },
  deleteSiteById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId',
    summary: 'Delete a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
  publishSite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/publish',
    summary: 'Publish a site',
    access: { site: 'manage' },
    scope: 'site:publish',
    params,
    response: Site,
    success: 200,
  },
  unpublishSite: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/unpublish',
    summary: 'Unpublish a site',
    access: { site: 'manage' },
    scope: 'site:publish',
    params,
    response: Site,
    success: 200,
  },
  getPublishedContentSite: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/published',
    summary: 'Get everything needed to render a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params,
    query: ShareKeyQuery,
    response: PublishedSite,
    success: 200,
  },
  listSiteIntegrationScripts: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/integration-scripts',
    summary: 'List the integration scripts of a site',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: z.array(SiteScript),
    success: 200,
  },
});
