import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';

/** The preview of a site is told no mail addresses and no counts. */
export const getChangeRequestById: Handler<typeof collaboration.getChangeRequestById, CollaborationEnvironment> = (
  _,
  { changeRequest, urls, visitor },
) =>
  visitor === undefined
    ? presentChangeRequest(changeRequest, urls)
    : { ...presentChangeRequest(changeRequest, urls, { email: false }), comments: 0 };
