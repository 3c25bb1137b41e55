import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readLinkLocations } from './read-space-links.ts';

export const listChangeRequestLinkLocations: Handler<
  typeof content.listChangeRequestLinkLocations,
  ContentEnvironment
> = ({ params, query }, { env, db, urls, space, role, actor, point, changeRequest }) => {
  const context = { type: 'changeRequest' as const, changeRequest: presentChangeRequest(changeRequest, urls) };
  return readLinkLocations(params.linkId, { env, db, urls, space, role, actor, point, context }, query);
};
