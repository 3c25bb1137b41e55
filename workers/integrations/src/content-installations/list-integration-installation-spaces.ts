import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listPlaced } from './list-placed.ts';

export const listIntegrationInstallationSpaces: Handler<
  typeof integrations.listIntegrationInstallationSpaces,
  IntegrationsEnvironment
> = ({ query }, context) => listPlaced('space', { query, of: { installation: context.installation.id } }, context);
