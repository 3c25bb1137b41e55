import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { uninstallFrom } from './uninstall-from.ts';

export const uninstallIntegrationFromSite: Handler<
  typeof integrations.uninstallIntegrationFromSite,
  IntegrationsEnvironment
> = ({ params }, context) => uninstallFrom('site', params.siteId, context);
