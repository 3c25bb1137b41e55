import type { Integration, IntegrationInstallation } from '@octavo/schema';
import type { IntegrationApi } from './api.ts';
import { at, connectApi } from './api.ts';

/** The configuration values by their names in the manifest. */
type Configuration = Record<string, unknown>;

/** An installation on a space or a site. */
interface InstallationOnContent {
  integration: string;
  installation: string;
  status: 'active' | 'pending' | 'paused';
  configuration: Configuration;
  externalIds: string[];
}

/** The environment that the platform sends with each call. */
export interface IntegrationEnvironment {
  /** The URL of the API, without the `/v1` suffix. */
  apiEndpoint: string;
  apiTokens: { integration: string; installation?: string };
  integration: Integration;
  installation?: IntegrationInstallation;
  spaceInstallation?: InstallationOnContent & { space: string };
  siteInstallation?: InstallationOnContent & { site: string };
  /** The secrets of the manifest, by name. */
  secrets: Record<string, string>;
  signingSecrets: { integration: string; installation?: string; spaceInstallation?: string; siteInstallation?: string };
}

/** The second argument of each handler. */
export interface IntegrationContext {
  environment: IntegrationEnvironment;
  /** The API with the token of the installation, or of the integration if the call is not about an installation. */
  api: IntegrationApi;
  /** The API with the token of the integration. */
  integrationApi: IntegrationApi;
  /** Makes the platform call the handler of a task after a delay of up to a day. */
  queueTask(task: { type: string; [field: string]: unknown }, seconds?: number): Promise<void>;
  /** Keeps the script alive after its response until the work is done. */
  waitUntil(work: Promise<unknown>): void;
}

export function getContext(
  environment: IntegrationEnvironment,
  waitUntil: IntegrationContext['waitUntil'],
): IntegrationContext {
  const { apiEndpoint: endpoint, apiTokens, integration } = environment;
  const userAgent = `integration-${integration.name}/${integration.version}`;
  const integrationApi = connectApi({ endpoint, token: apiTokens.integration, userAgent });
  return {
    environment,
    integrationApi,
    api:
      apiTokens.installation === undefined
        ? integrationApi
        : connectApi({ endpoint, token: apiTokens.installation, userAgent }),
    queueTask: (task, schedule = 0) =>
      integrationApi.send('POST', at`/integrations/${integration.name}/tasks`, { task, schedule }),
    waitUntil,
  };
}
