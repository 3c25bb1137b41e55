import { createHandlerFactory } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from './environment.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = createHandlerFactory<typeof integrations, IntegrationsEnvironment>();
