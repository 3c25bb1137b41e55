import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { updateOn } from './update-on.ts';

export const updateIntegrationSiteInstallation: Handler<
  typeof integrations.updateIntegrationSiteInstallation,
  IntegrationsEnvironment
> = ({ params, query, body }, context) => updateOn('site', { place: params.siteId, ...query, change: body }, context);
