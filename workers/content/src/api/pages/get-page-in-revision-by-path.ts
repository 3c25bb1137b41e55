import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { readPageByPath } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageInRevisionByPath: Handler<typeof content.getPageInRevisionByPath, ContentEnvironment> = (
  { params, query },
  { db, point, space, urls },
) => readPageByPath(params.pagePath, { db, point, query, to: { urls, base: `/spaces/${space.id}` } });
