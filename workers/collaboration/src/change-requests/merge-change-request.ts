import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

export const mergeChangeRequest: Handler<typeof collaboration.mergeChangeRequest, CollaborationEnvironment> = async (
  _,
  { env, absorb, space, changeRequest, caller, expected },
) => {
  const { id, status } = changeRequest;
  if (status === 'merged' || status === 'archived')
    throw conflict(`The change request is ${status} and cannot be merged.`);
  return absorb(await env.CONTENT.mergeChangeRequest({ ...caller, space: space.id, changeRequest: id, expected }));
};
