import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { updateOn } from './update-on.ts';

export const updateIntegrationSpaceInstallation: Handler<
  typeof integrations.updateIntegrationSpaceInstallation,
  IntegrationsEnvironment
> = ({ params, query, body }, context) => updateOn('space', { place: params.spaceId, ...query, change: body }, context);
