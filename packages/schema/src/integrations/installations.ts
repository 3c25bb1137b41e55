import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { describeBytes } from '../text.ts';
import { Timestamp } from '../time.ts';
import { IntegrationScope } from './integration-scope.ts';
import { Integration, IntegrationName } from './integrations.ts';

export const InstallationStatus = z.enum(['active', 'pending', 'paused']).meta({ id: 'InstallationStatus' });
export type InstallationStatus = z.infer<typeof InstallationStatus>;

/**
 * The spaces or sites of its organization that an installation reaches: all of them, or those that it is installed on.
 */
export const InstallationSelection = z.enum(['all', 'selected']).meta({ id: 'InstallationSelection' });
export type InstallationSelection = z.infer<typeof InstallationSelection>;

export const ExternalId = z.string().min(1).max(256);

/** Ids that the integration assigns to an installation. */
export const ExternalIds = z
  .array(ExternalId)
  .max(5)
  .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id')
  .meta({ id: 'ExternalIds' });

const maxConfigurationBytes = 64 * 1024;
const maxConfigurationDepth = 10;

/** Returns whether a value is nested deeper than `maxDepth` levels. Stops at the first level that is too deep. */
function isTooDeep(value: unknown, maxDepth = maxConfigurationDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return maxDepth === 0 || Object.values(value).some((each) => isTooDeep(each, maxDepth - 1));
}

/** The configuration of an installation, by the names of the properties that its integration asks for. */
export const InstallationConfiguration = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((value) => !isTooDeep(value), `must have at most ${maxConfigurationDepth} levels of nesting`)
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxConfigurationBytes,
    `must have at most ${describeBytes(maxConfigurationBytes)}`,
  )
  .meta({ id: 'InstallationConfiguration' });
export type InstallationConfiguration = z.infer<typeof InstallationConfiguration>;

const PublicEndpoints = { publicEndpoint: z.string(), publicContentEndpoint: z.string() };

/** An integration that is installed in an organization. Unlike other objects, it has no `object` field. */
export const IntegrationInstallation = z
  .object({
    id: z.string(),
    status: InstallationStatus,
    scopes: z.array(IntegrationScope),
    requestedScopes: z.array(IntegrationScope),
    space_selection: InstallationSelection,
    site_selection: InstallationSelection,
    spaces: z.number().int(),
    configuration: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string(), app: z.string(), ...PublicEndpoints }),
    externalIds: z.array(z.string()),
    target: z.object({ organization: z.string() }),
  })
  .meta({ id: 'IntegrationInstallation' });
export type IntegrationInstallation = z.infer<typeof IntegrationInstallation>;

/** The fields that installations on spaces and on sites share. */
export const ContentInstallation = z.object({
  integration: z.string(),
  installation: z.string(),
  status: InstallationStatus,
  configuration: z.record(z.string(), z.unknown()),
  externalIds: z.array(z.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  urls: z.object({ location: z.string(), ...PublicEndpoints }),
});

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
    scopes: AgreedScopes.optional(),
  })
  .default({});

const InstallationOf = z.string().optional();

/** An installation as it is listed for a space or site, with its status there. */
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

const installationAccess = { byIntegration: true, byInstallation: 'any' } as const;

export const installationEndpoints = contract({
  listIntegrationInstallations: {
    byIntegration: true,
    method: 'GET',
    path: '/v1/integrations/:integrationName/installations',
    summary: 'List the installations of an integration',
    access: { integration: 'admin' },
    scope: 'unscoped',
    params: integrationParams,
    query: PageQuery.extend({ externalId: ExternalId.optional() }),
    response: list(IntegrationInstallation),
    success: 200,
  },
  /** The handler checks where a private integration may be installed. */
  installIntegration: {
    method: 'POST',
    path: '/v1/integrations/:integrationName/installations',
    summary: 'Install an integration in an organization',
    access: { integration: 'view' },
    scope: 'integration:installations:write',
    params: integrationParams,
    body: z.object({
      organization: Id,
      scopes: AgreedScopes.optional(),
    }),
    targets: { organization: { organization: 'installIntegration' } },
    response: IntegrationInstallation,
    success: 201,
    errors: ['conflict'],
  },
  getIntegrationInstallationById: {
    ...installationAccess,
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
    ...installationAccess,
    method: 'PATCH',
    path: '/v1/integrations/:integrationName/installations/:installationId',
    summary: 'Change an installation',
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
    summary: 'Uninstall an integration',
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
    summary: 'Create an installation token',
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
    summary: 'List the installations of an organization',
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
    summary: 'List the status of installed integrations',
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
    summary: 'Get the status of an installed integration',
    access: { organization: 'listIntegrations' },
    scope: 'integration:read',
    params: organizationParams.extend({ integrationName: IntegrationName }),
    response: z.object({ status: InstallationStatus, installation: InstallationOf }),
    success: 200,
  },
});
