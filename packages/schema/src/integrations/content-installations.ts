import * as z from 'zod';
import { Space } from '../content/spaces.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery, queryBoolean } from '../list.ts';
import { Site } from '../publishing/site.ts';
import { ContentInstallation, ExternalId, ExternalIds, InstallationConfiguration } from './installations.ts';
import { IntegrationName } from './integrations.ts';

/**
 * An installation on a space. `space` is the whole space if `extended` is set and the caller may read it, otherwise its
 * id.
 */
export const IntegrationSpaceInstallation = ContentInstallation.extend({ space: z.union([z.string(), Space]) }).meta({
  id: 'IntegrationSpaceInstallation',
});
export type IntegrationSpaceInstallation = z.infer<typeof IntegrationSpaceInstallation>;

/** An installation on a site. `site` is the whole site or its id, as for `IntegrationSpaceInstallation`. */
export const IntegrationSiteInstallation = ContentInstallation.extend({ site: z.union([z.string(), Site]) }).meta({
  id: 'IntegrationSiteInstallation',
});
export type IntegrationSiteInstallation = z.infer<typeof IntegrationSiteInstallation>;

const integrationParams = z.object({ integrationName: IntegrationName });
const params = integrationParams.extend({ installationId: Id });
const spaceParams = params.extend({ spaceId: Id });
const siteParams = params.extend({ siteId: Id });
const extended = z.object({ extended: queryBoolean(false) });
const pages = PageQuery.extend({ extended: queryBoolean(false) });
const change = z
  .object({ externalIds: ExternalIds.optional(), configuration: InstallationConfiguration.optional() })
  .default({});

const installationAccess = { byIntegration: true, byInstallation: 'any' } as const;
const reads = { ...installationAccess, scope: 'integration:installations:read' } as const;
const writes = {
  ...installationAccess,
  access: { installation: 'place' },
  scope: 'integration:installations:write',
} as const;
const integrationAdminAccess = { byIntegration: true, access: { integration: 'admin' }, scope: 'unscoped' } as const;
const installation = '/v1/integrations/:integrationName/installations/:installationId';

/** Endpoints for installations on spaces and on sites. Both have the same operations. */
export const contentInstallationEndpoints = contract({
  listIntegrationInstallationSpaces: {
    ...reads,
    method: 'GET',
    path: `${installation}/spaces`,
    summary: 'List the spaces of an installation',
    access: { installation: 'view' },
    params,
    query: pages,
    response: list(IntegrationSpaceInstallation),
    success: 200,
  },
  installIntegrationOnSpace: {
    ...writes,
    method: 'POST',
    path: `${installation}/spaces`,
    summary: 'Install an integration on a space',
    params,
    query: extended,
    body: z.object({ space: Id }),
    targets: { space: { place: 'space' } },
    response: IntegrationSpaceInstallation,
    success: 201,
    errors: ['conflict', 'precondition_failed'],
  },
  getIntegrationSpaceInstallation: {
    ...reads,
    method: 'GET',
    path: `${installation}/spaces/:spaceId`,
    summary: 'Get the installation on a space',
    access: { installation: 'place' },
    params: spaceParams,
    query: extended,
    response: IntegrationSpaceInstallation,
    success: 200,
  },
  updateIntegrationSpaceInstallation: {
    ...writes,
    method: 'PATCH',
    path: `${installation}/spaces/:spaceId`,
    summary: 'Change the installation on a space',
    params: spaceParams,
    query: extended,
    body: change,
    response: IntegrationSpaceInstallation,
    success: 200,
    errors: ['conflict'],
  },
  uninstallIntegrationFromSpace: {
    ...writes,
    method: 'DELETE',
    path: `${installation}/spaces/:spaceId`,
    summary: 'Uninstall an integration from a space',
    params: spaceParams,
    success: 205,
  },
  listIntegrationInstallationSites: {
    ...reads,
    method: 'GET',
    path: `${installation}/sites`,
    summary: 'List the sites of an installation',
    access: { installation: 'view' },
    params,
    query: pages,
    response: list(IntegrationSiteInstallation),
    success: 200,
  },
  installIntegrationOnSite: {
    ...writes,
    method: 'POST',
    path: `${installation}/sites`,
    summary: 'Install an integration on a site',
    params,
    query: extended,
    body: z.object({ siteId: Id }),
    targets: { siteId: { place: 'site' } },
    response: IntegrationSiteInstallation,
    success: 201,
    errors: ['conflict', 'precondition_failed'],
  },
  getIntegrationSiteInstallation: {
    ...reads,
    method: 'GET',
    path: `${installation}/sites/:siteId`,
    summary: 'Get the installation on a site',
    access: { installation: 'place' },
    params: siteParams,
    query: extended,
    response: IntegrationSiteInstallation,
    success: 200,
  },
  updateIntegrationSiteInstallation: {
    ...writes,
    method: 'PATCH',
    path: `${installation}/sites/:siteId`,
    summary: 'Change the installation on a site',
    params: siteParams,
    query: extended,
    body: change,
    response: IntegrationSiteInstallation,
    success: 200,
    errors: ['conflict'],
  },
  uninstallIntegrationFromSite: {
    ...writes,
    method: 'DELETE',
    path: `${installation}/sites/:siteId`,
    summary: 'Uninstall an integration from a site',
    params: siteParams,
    success: 205,
  },
  listIntegrationSpaceInstallations: {
    ...integrationAdminAccess,
    method: 'GET',
    path: '/v1/integrations/:integrationName/spaces',
    summary: 'List the installations of an integration on spaces',
    params: integrationParams,
    query: pages.extend({ externalId: ExternalId.optional() }),
    response: list(IntegrationSpaceInstallation),
    success: 200,
  },
  listIntegrationSiteInstallations: {
    ...integrationAdminAccess,
    method: 'GET',
    path: '/v1/integrations/:integrationName/sites',
    summary: 'List the installations of an integration on sites',
    params: integrationParams,
    query: pages.extend({ externalId: ExternalId.optional() }),
    response: list(IntegrationSiteInstallation),
    success: 200,
  },
});
