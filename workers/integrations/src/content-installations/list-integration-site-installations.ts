import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listPlaced } from './list-placed.ts';

export const listIntegrationSiteInstallations: Handler<
  typeof integrations.listIntegrationSiteInstallations,
  IntegrationsEnvironment
> = ({ query }, context) =>
  listPlaced('site', { query, of: { integration: context.integration.integration.name } }, context);
