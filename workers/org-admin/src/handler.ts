import { createHandlerFactory } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from './environment.ts';

/** Types an operation of this worker: `handler('operationName', (input, context) => resource)`. */
export const { handler } = createHandlerFactory<typeof orgAdmin, OrgAdminEnvironment>();
