import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { installOn } from './install-on.ts';

export const installIntegrationOnSite: Handler<
  typeof integrations.installIntegrationOnSite,
  IntegrationsEnvironment
> = ({ body, query }, context) => installOn('site', { place: body.siteId, ...query }, context);
