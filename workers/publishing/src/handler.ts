import { createHandlerFactory } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from './environment.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = createHandlerFactory<typeof publishing, PublishingEnvironment>();
