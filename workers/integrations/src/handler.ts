import { handlersFor } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from './environment.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = handlersFor<typeof integrations, IntegrationsEnvironment>();
