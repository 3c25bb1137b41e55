import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listPlaced } from './list-placed.ts';

export const listIntegrationSpaceInstallations: Handler<
  typeof integrations.listIntegrationSpaceInstallations,
  IntegrationsEnvironment
> = ({ query }, context) =>
  listPlaced('space', { query, of: { integration: context.integration.integration.name } }, context);
