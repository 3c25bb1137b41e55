import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { renderIntegration } from './render-integration.ts';

export const renderIntegrationUIWithPost: Handler<
  typeof integrations.renderIntegrationUIWithPost,
  IntegrationsEnvironment
> = ({ body }, context) => renderIntegration(body, context);
