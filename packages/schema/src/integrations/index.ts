import { contentInstallationEndpoints } from './content-installations.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { installationEndpoints } from './installations.ts';
import { integrationEventEndpoints } from './integration-events.ts';
import { integrationEndpoints } from './integrations.ts';
import { developmentEndpoints, renderEndpoints, taskEndpoints } from './render.ts';
import { webhookEndpoints } from './webhooks.ts';

export * from './content-installations.ts';
export * from './deliveries.ts';
export * from './event-types.ts';
export * from './installations.ts';
export * from './integration-events.ts';
export * from './integration-scope.ts';
export * from './integrations.ts';
export * from './render.ts';
export * from './webhooks.ts';

/** The endpoints of the integrations worker. */
export const integrations = {
  ...integrationEndpoints,
  ...integrationEventEndpoints,
  ...renderEndpoints,
  ...taskEndpoints,
  ...developmentEndpoints,
  ...installationEndpoints,
  ...contentInstallationEndpoints,
  ...webhookEndpoints,
  ...deliveryEndpoints,
};
