import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

export const getChangeRequestById: Handler<typeof collaboration.getChangeRequestById, CollaborationEnvironment> = (
  _,
  { changeRequest, urls },
) => presentChangeRequest(changeRequest, urls);
