import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listPlaced } from './list-placed.ts';

export const listIntegrationInstallationSites: Handler<
  typeof integrations.listIntegrationInstallationSites,
  IntegrationsEnvironment
> = ({ query }, context) => listPlaced('site', { query, of: { installation: context.installation.id } }, context);
