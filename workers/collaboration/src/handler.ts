import { createHandlerFactory } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from './environment.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = createHandlerFactory<typeof collaboration, CollaborationEnvironment>();
