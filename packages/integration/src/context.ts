import { at, connectApi, type IntegrationApi } from './api.ts';
import type { IntegrationEnvironment } from './environment.ts';

/** What a handler has beside its event. */
export interface IntegrationContext {
  environment: IntegrationEnvironment;
  /** The API as the installation may use it, or the integration where the call is about none. */
  api: IntegrationApi;
  /** The API as the integration itself may use it. */
  integrationApi: IntegrationApi;
  /** Has the platform call the handler of a task, after so many seconds: up to a day. */
  queueTask(task: { type: string; [field: string]: unknown }, seconds?: number): Promise<void>;
  /** Keeps the script alive until the work is done, after the answer. */
  waitUntil(work: Promise<unknown>): void;
}

/** Makes the context of one call. */
export function contextOf(
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
