import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { getOn } from './get-on.ts';

export const getIntegrationSpaceInstallation: Handler<
  typeof integrations.getIntegrationSpaceInstallation,
  IntegrationsEnvironment
> = ({ params, query }, context) => getOn('space', { place: params.spaceId, ...query }, context);
