import { createHandlerFactory } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { HeadEnvironment } from './heads/space-head.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = createHandlerFactory<typeof content, HeadEnvironment>();
