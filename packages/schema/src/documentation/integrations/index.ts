import type { ResourceDocumentation } from '../documentation.ts';
import { contentInstallations } from './content-installations.ts';
import { deliveries } from './deliveries.ts';
import { installations } from './installations.ts';
import { integrations } from './integrations.ts';
import { scripts } from './scripts.ts';
import { webhooks } from './webhooks.ts';

export const integrationsDocumentation: ResourceDocumentation[] = [
  contentInstallations,
  deliveries,
  installations,
  integrations,
  scripts,
  webhooks,
];
