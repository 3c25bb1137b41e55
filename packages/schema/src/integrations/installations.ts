import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import {
  ExternalId,
  ExternalIds,
  InstallationConfiguration,
  InstallationSelection,
  InstallationStatus,
  IntegrationInstallation,
} from './installation.ts';
import { Integration, IntegrationName } from './integration.ts';
import { IntegrationScope } from './integration-scope.ts';

export * from './installation.ts';

const integrationParams = z.object({ integrationName: IntegrationName });
const params = integrationParams.extend({ installationId: Id });
const organizationParams = z.object({ organizationId: Id });

const AgreedScopes = z
  .array(IntegrationScope)
  .max(50)
  .overwrite((scopes) => [...new Set(scopes)]);

const UpdateInstallation = z
  .object({
    externalIds: ExternalIds.optional(),
    configuration: InstallationConfiguration.optional(),
    space_selection: InstallationSelection.optional(),
    site_selection: InstallationSelection.optional(),
    status: z.enum(['active', 'paused']).optional(),
    scopes: AgreedScopes.optional().meta({
      description: 'Our extension, for admins: all that they agree to, of what the integration asks for.',
    }),
  })
  .default({});

const InstallationOf = z.string().optional().meta({
  description: 'Our extension, for who may install something in the organization: the id of the installation.',
});

/** What an integration is installed on, with its status there. */
export const InstalledIntegration = z
  .object({
    status: InstallationStatus,
    installation: InstallationOf,
    integration: Integration,
    target: z.discriminatedUnion('type', [
      z.object({ type: z.literal('organization'), organizationId: z.string() }),
      z.object({ type: z.literal('space'), spaceId: z.string() }),
      z.object({ type: z.literal('site'), siteId: z.string() }),
    ]),
  })
  .meta({ id: 'InstalledIntegration' });
export type InstalledIntegration = z.infer<typeof InstalledIntegration>;

const own = { byIntegration: true, byInstallation: 'any' } as const;

export const installationEndpoints = contract({
  listIntegrationInstallations: {
    byIntegration: true,
    method: 'GET',
    path: '/v1/integrations/:integrationName/installations',
    summary: 'List where an integration is installed',
    access: { integration: 'admin' },
    scope: 'unscoped',
    params: integrationParams,
    query: PageQuery.extend({ externalId: ExternalId.optional() }),
    response: list(IntegrationInstallation),
    success: 200,
  },
  /** What an integration that is private may be installed on, the handler checks. */
  installIntegration: {
    method: 'POST',
    path: '/v1/integrations/:integrationName/installations',
    summary: 'Install an integration in an organization',
    access: { integration: 'view' },
    scope: 'integration:installations:write',
    params: integrationParams,
    body: z.object({
      organization: Id,
      scopes: AgreedScopes.optional().meta({
        description: 'Our extension: what is agreed to. Left out: all that the integration asks for.',
      }),
    }),
    targets: { organization: { organization: 'installIntegration' } },
    response: IntegrationInstallation,
    success: 201,
    errors: ['conflict'],
  },
  getIntegrationInstallationById: {
    ...own,
    method: 'GET',
    path: '/v1/integrations/:integrationName/installations/:installationId',
    summary: 'Get an installation',
    access: { installation: 'view' },
    scope: 'integration:installations:read',
    params,
    response: IntegrationInstallation,
    success: 200,
  },
  updateIntegrationInstallation: {
    ...own,
    method: 'PATCH',
    path: '/v1/integrations/:integrationName/installations/:installationId',
    summary: 'Change an installation: its configuration, and what it reaches',
    access: { installation: 'configure' },
    scope: 'integration:installations:write',
    params,
    body: UpdateInstallation,
    response: IntegrationInstallation,
    success: 200,
    errors: ['conflict'],
  },
  uninstallIntegration: {
    method: 'DELETE',
    path: '/v1/integrations/:integrationName/installations/:installationId',
    summary: 'Uninstall an integration from an organization',
    access: { installation: 'admin' },
    scope: 'integration:installations:write',
    params,
    success: 205,
  },
  createIntegrationInstallationToken: {
    byIntegration: true,
    byInstallation: 'none',
    method: 'POST',
    path: '/v1/integrations/:integrationName/installations/:installationId/tokens',
    summary: 'Get a token by which an integration acts as its installation',
    access: { installation: 'token' },
    scope: 'unscoped',
    params,
    response: z.object({ token: z.string(), expiresAt: Timestamp }),
    success: 200,
    secret: true,
    reads: true,
    errors: ['precondition_failed'],
  },
  listOrganizationInstallations: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/installations',
    summary: 'List the integrations that are installed in an organization, and how',
    access: { organization: 'listInstallations' },
    scope: 'integration:installations:read',
    params: organizationParams,
    query: PageQuery.extend({ search: z.string().max(256).optional() }),
    response: list(z.object({ installation: IntegrationInstallation, integration: Integration })),
    success: 200,
  },
  listOrganizationIntegrationsStatus: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/integrations/installations-status',
    summary:
      'List the integrations that are installed in an organization, on its spaces or on its sites, with their status',
    access: { organization: 'listIntegrations' },
    scope: 'integration:read',
    params: organizationParams,
    query: PageQuery.extend({
      target: z.enum(['organization', 'space', 'site']).default('organization'),
      space: Id.optional(),
      site: Id.optional(),
    }),
    response: list(InstalledIntegration),
    success: 200,
  },
  getOrganizationIntegrationStatus: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/integrations/:integrationName/installation_status',
    summary: 'Get the status of an integration in an organization',
    access: { organization: 'listIntegrations' },
    scope: 'integration:read',
    params: organizationParams.extend({ integrationName: IntegrationName }),
    response: z.object({ status: InstallationStatus, installation: InstallationOf }),
    success: 200,
  },
});
