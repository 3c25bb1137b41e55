import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { readPageById } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageById: Handler<Served<typeof content, 'getPageById'>, ContentEnvironment> = (
  { params, query },
  { db, point, space, urls },
) => readPageById(params.pageId, { db, point, query, to: { urls, base: `/spaces/${space.id}` } });
