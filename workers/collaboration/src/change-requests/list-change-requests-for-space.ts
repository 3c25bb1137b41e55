import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { listChangeRequests } from './list-change-requests.ts';

export const listChangeRequestsForSpace: Handler<
  typeof collaboration.listChangeRequestsForSpace,
  CollaborationEnvironment
> = ({ query }, { db, space, urls }) =>
  listChangeRequests(db, { organization: space.organization, space: space.id, statuses: [query.status], query }, urls);
