import type { CallerRecord, InstallationRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { IntegrationInstallation } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import { filterConfiguration, readConfiguration } from '../configuration/configuration.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

/** The context in which an installation is presented. */
export interface InstallationView {
  env: IntegrationsEnvironment;
  urls: Urls;
  /** Whether the resource is presented to a person: people see fewer configuration values than the integration does. */
  toPeople: boolean;
}

export async function presentInstallation(
  record: InstallationRecord,
  { env, urls, toPeople }: InstallationView,
): Promise<IntegrationInstallation> {
  const { id, status, scopes, spaces, externalIds, organization, integration } = record;
  const path = `/integrations/${integration.name}/installations/${id}`;
  const configuration = await readConfiguration(env, id, record.configuration);
  return {
    ...{ id, status, scopes, spaces, externalIds },
    requestedScopes: integration.scopes.filter((scope) => !scopes.includes(scope)),
    space_selection: record.spaceSelection,
    site_selection: record.siteSelection,
    configuration: filterConfiguration(integration.configurations?.account, configuration, toPeople),
    createdAt: formatTimestamp(record.createdAt),
    updatedAt: formatTimestamp(record.updatedAt),
    urls: { location: urls.location(path), app: urls.app(path), ...getPublicEndpoints(path, urls) },
    target: { organization },
  };
}

/** The URLs of an installation's script and of its rendered content. */
export const getPublicEndpoints = (path: string, urls: Urls) => ({
  publicEndpoint: urls.page(path),
  publicContentEndpoint: urls.page(path),
});

/** Whether the caller is a person, not an installation or an integration. */
export const isPerson = ({ integration }: Pick<CallerRecord, 'integration'>): boolean => integration === null;
