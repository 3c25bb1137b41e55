import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

export const updateChangeRequest: Handler<typeof collaboration.updateChangeRequest, CollaborationEnvironment> = async (
  _,
  { env, absorb, space, changeRequest, caller, expected },
) =>
  absorb(
    await env.CONTENT.updateChangeRequest({ ...caller, space: space.id, changeRequest: changeRequest.id, expected }),
  );
