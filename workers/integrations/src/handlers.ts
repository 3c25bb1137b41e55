import type { Handlers } from '@octavo/runtime';
import type { integrations as contract } from '@octavo/schema';
import * as contentInstallations from './content-installations/content-installations.ts';
import * as development from './development/development.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import * as installations from './installations/installations.ts';
import { listOrganizationIntegrationsStatus } from './installations/list-organization-integrations-status.ts';
import * as integrationEvents from './integration-events/integration-events.ts';
import * as integrations from './integrations/integrations.ts';
import { publishIntegration } from './integrations/publish-integration.ts';
import { unpublishIntegration } from './integrations/unpublish-integration.ts';
import * as render from './render/render.ts';
import * as tasks from './tasks/tasks.ts';
import * as webhookDeliveries from './webhook-deliveries/webhook-deliveries.ts';
import * as webhooks from './webhooks/webhooks.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof contract, IntegrationsEnvironment> = {
  ...integrations,
  publishIntegration,
  unpublishIntegration,
  ...installations,
  listOrganizationIntegrationsStatus,
  ...contentInstallations,
  ...integrationEvents,
  ...development,
  ...render,
  ...tasks,
  ...webhooks,
  ...webhookDeliveries,
};
