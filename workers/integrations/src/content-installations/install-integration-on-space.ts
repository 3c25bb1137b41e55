import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { installOn } from './install-on.ts';

export const installIntegrationOnSpace: Handler<
  typeof integrations.installIntegrationOnSpace,
  IntegrationsEnvironment
> = ({ body, query }, context) => installOn('space', { place: body.space, ...query }, context);
