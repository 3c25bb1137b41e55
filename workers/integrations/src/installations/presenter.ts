import type { CallerRecord, InstallationRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { IntegrationInstallation } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { readConfiguration, shownConfiguration } from '../configuration/configuration.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

/** What an answer about installations takes. */
export interface InstallationView {
  env: IntegrationsEnvironment;
  urls: Urls;
  /** Whether people see it, who are shown less of the configuration than the integration is. */
  toPeople: boolean;
}

/** An installation as it is shown. */
export async function presentInstallation(
  record: InstallationRecord,
  { env, urls, toPeople }: InstallationView,
): Promise<IntegrationInstallation> {
  const { id, status, scopes, spaces, externalIds, organization, integration } = record;
  const path = `/integrations/${integration.name}/installations/${id}`;
  const whole = await readConfiguration(env, id, record.configuration);
  return {
    ...{ id, status, scopes, spaces, externalIds },
    requestedScopes: integration.scopes.filter((scope) => !scopes.includes(scope)),
    space_selection: record.spaceSelection,
    site_selection: record.siteSelection,
    configuration: shownConfiguration(integration.configurations?.account, whole, toPeople),
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    urls: { location: urls.location(path), app: urls.app(path), ...publicEndpoints(path, urls) },
    target: { organization },
  };
}

/** Where the script of an installation answers; rendered content comes from there too. */
export const publicEndpoints = (path: string, urls: Urls) => ({
  publicEndpoint: urls.page(path),
  publicContentEndpoint: urls.page(path),
});

/** Whether a person asks, and not an installation or its integration. */
export const isPerson = ({ integration }: Pick<CallerRecord, 'integration'>): boolean => integration === null;
