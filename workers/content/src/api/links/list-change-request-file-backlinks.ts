import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readFileBacklinks } from './read-space-links.ts';

export const listChangeRequestFileBacklinks: Handler<
  typeof content.listChangeRequestFileBacklinks,
  ContentEnvironment
> = ({ params, query }, { env, db, urls, space, role, actor, point, changeRequest }) => {
  const context = { type: 'changeRequest' as const, changeRequest: presentChangeRequest(changeRequest, urls) };
  return readFileBacklinks(params.fileId, { env, db, urls, space, role, actor, point, context }, query);
};
