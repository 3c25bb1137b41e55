import type { Handlers } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { getIntegrationSiteInstallation } from './content-installations/get-integration-site-installation.ts';
import { getIntegrationSpaceInstallation } from './content-installations/get-integration-space-installation.ts';
import { installIntegrationOnSite } from './content-installations/install-integration-on-site.ts';
import { installIntegrationOnSpace } from './content-installations/install-integration-on-space.ts';
import { listIntegrationInstallationSites } from './content-installations/list-integration-installation-sites.ts';
import { listIntegrationInstallationSpaces } from './content-installations/list-integration-installation-spaces.ts';
import { listIntegrationSiteInstallations } from './content-installations/list-integration-site-installations.ts';
import { listIntegrationSpaceInstallations } from './content-installations/list-integration-space-installations.ts';
import { uninstallIntegrationFromSite } from './content-installations/uninstall-integration-from-site.ts';
import { uninstallIntegrationFromSpace } from './content-installations/uninstall-integration-from-space.ts';
import { updateIntegrationSiteInstallation } from './content-installations/update-integration-site-installation.ts';
import { updateIntegrationSpaceInstallation } from './content-installations/update-integration-space-installation.ts';
import { disableIntegrationDevelopmentMode } from './development/disable-integration-development-mode.ts';
import { setIntegrationDevelopmentMode } from './development/set-integration-development-mode.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import { createIntegrationInstallationToken } from './installations/create-integration-installation-token.ts';
import { getIntegrationInstallationById } from './installations/get-integration-installation-by-id.ts';
import { getOrganizationIntegrationStatus } from './installations/get-organization-integration-status.ts';
import { installIntegration } from './installations/install-integration.ts';
import { listIntegrationInstallations } from './installations/list-integration-installations.ts';
import { listOrganizationInstallations } from './installations/list-organization-installations.ts';
import { listOrganizationIntegrationsStatus } from './installations/list-organization-integrations-status.ts';
import { uninstallIntegration } from './installations/uninstall-integration.ts';
import { updateIntegrationInstallation } from './installations/update-integration-installation.ts';
import { getIntegrationEvent } from './integration-events/get-integration-event.ts';
import { listIntegrationEvents } from './integration-events/list-integration-events.ts';
import { getIntegrationByName } from './integrations/get-integration-by-name.ts';
import { listIntegrations } from './integrations/list-integrations.ts';
import { listOrganizationIntegrations } from './integrations/list-organization-integrations.ts';
import { listSiteIntegrations } from './integrations/list-site-integrations.ts';
import { listSpaceIntegrations } from './integrations/list-space-integrations.ts';
import { listSpaceIntegrationsBlocks } from './integrations/list-space-integrations-blocks.ts';
import { publishIntegration } from './integrations/publish-integration.ts';
import { unpublishIntegration } from './integrations/unpublish-integration.ts';
import { renderIntegrationUIWithGet } from './render/render-integration-ui-with-get.ts';
import { renderIntegrationUIWithPost } from './render/render-integration-ui-with-post.ts';
import { queueIntegrationTask } from './tasks/queue-integration-task.ts';
import { getWebhookDelivery } from './webhook-deliveries/get-webhook-delivery.ts';
import { listWebhookDeliveries } from './webhook-deliveries/list-webhook-deliveries.ts';
import { redeliverDeadToWebhook } from './webhook-deliveries/redeliver-dead-to-webhook.ts';
import { redeliverToWebhook } from './webhook-deliveries/redeliver-to-webhook.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof integrations, IntegrationsEnvironment> = {
  getIntegrationByName,
  listIntegrations,
  listOrganizationIntegrations,
  listSiteIntegrations,
  listSpaceIntegrations,
  listSpaceIntegrationsBlocks,
  publishIntegration,
  unpublishIntegration,
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  redeliverDeadToWebhook,
  redeliverToWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  createIntegrationInstallationToken,
  getIntegrationInstallationById,
  getIntegrationSiteInstallation,
  getIntegrationSpaceInstallation,
  getOrganizationIntegrationStatus,
  installIntegration,
  installIntegrationOnSite,
  installIntegrationOnSpace,
  listIntegrationInstallationSites,
  listIntegrationInstallationSpaces,
  listIntegrationInstallations,
  listIntegrationSiteInstallations,
  listIntegrationSpaceInstallations,
  listOrganizationInstallations,
  listOrganizationIntegrationsStatus,
  uninstallIntegration,
  uninstallIntegrationFromSite,
  uninstallIntegrationFromSpace,
  updateIntegrationInstallation,
  updateIntegrationSiteInstallation,
  updateIntegrationSpaceInstallation,
  disableIntegrationDevelopmentMode,
  getIntegrationEvent,
  listIntegrationEvents,
  queueIntegrationTask,
  renderIntegrationUIWithGet,
  renderIntegrationUIWithPost,
  setIntegrationDevelopmentMode,
};
