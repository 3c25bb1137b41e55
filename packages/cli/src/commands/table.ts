import {
  createChangeRequest,
  diffChangeRequest,
  listChangeRequests,
  mergeChangeRequest,
  showChangeRequest,
} from './change-requests.ts';
import type { CommandTable } from './command.ts';
import { completion } from './completion.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { login } from './login.ts';
import { publish } from './publish.ts';
import { publishOpenAPI } from './publish-openapi.ts';
import { spaces } from './spaces.ts';
import { deliveries, listenToWebhook, testWebhook, webhooks } from './webhooks.ts';

/** The commands that call the API. */
export const commands: CommandTable = {
  login: () => login,
  spaces: () => spaces,
  import: () => importCommand,
  export: () => exportCommand,
  sync: async () => (await import('./sync.ts')).syncCommand,
  publish: () => publish,
  'change-request create': () => createChangeRequest,
  'change-request list': () => listChangeRequests,
  'change-request show': () => showChangeRequest,
  'change-request diff': () => diffChangeRequest,
  'change-request merge': () => mergeChangeRequest,
  'openapi publish': () => publishOpenAPI,
  // Imported on demand, because the bundler is slow to load.
  'integration init': async () => (await import('./integration.ts')).initIntegration,
  'integration publish': async () => (await import('./integration.ts')).publishIntegration,
  'integration dev': async () => (await import('./integration.ts')).developIntegration,
  'integration tail': async () => (await import('./integration.ts')).tailIntegration,
  'integration unpublish': async () => (await import('./integration.ts')).unpublishIntegration,
  'webhook list': () => webhooks,
  'webhook test': () => testWebhook,
  'webhook deliveries': () => deliveries,
  'webhook listen': () => listenToWebhook,
  completion: () => completion,
};
