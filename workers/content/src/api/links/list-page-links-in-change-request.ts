import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { baseLineageOf } from '../../engine/nodes/lineage-sql.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { readPageLinks } from './read-page-links.ts';

export const listPageLinksInChangeRequest: Handler<typeof content.listPageLinksInChangeRequest, ContentEnvironment> = (
  { params, query },
  { env, db, urls, space, role, actor, point, changeRequest },
) => {
  const context = { type: 'changeRequest' as const, changeRequest: presentChangeRequest(changeRequest, urls) };
  const base = baseLineageOf(changeRequest.id);
  return readPageLinks(params.pageId, { env, db, urls, space, role, actor, point, context, base }, query);
};
