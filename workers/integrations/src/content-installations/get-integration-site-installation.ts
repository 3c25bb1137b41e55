import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { getOn } from './get-on.ts';

export const getIntegrationSiteInstallation: Handler<
  typeof integrations.getIntegrationSiteInstallation,
  IntegrationsEnvironment
> = ({ params, query }, context) => getOn('site', { place: params.siteId, ...query }, context);
