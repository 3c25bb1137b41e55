import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { uninstallFrom } from './uninstall-from.ts';

export const uninstallIntegrationFromSpace: Handler<
  typeof integrations.uninstallIntegrationFromSpace,
  IntegrationsEnvironment
> = ({ params }, context) => uninstallFrom('space', params.spaceId, context);
