import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { presentIntegration } from './present-integration.ts';

export const getIntegrationByName: Handler<typeof integrations.getIntegrationByName, IntegrationsEnvironment> = (
  _,
  { integration, urls },
) => presentIntegration(integration, urls);
