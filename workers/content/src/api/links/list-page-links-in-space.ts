import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readPageLinks } from './read-page-links.ts';

export const listPageLinksInSpace: Handler<typeof content.listPageLinksInSpace, ContentEnvironment> = (
  { params, query },
  { env, db, urls, space, role, actor, point },
) => readPageLinks(params.pageId, { env, db, urls, space, role, actor, point }, query);
