import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { readPageByPath } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageByPath: Handler<Served<typeof content, 'getPageByPath'>, ContentEnvironment> = (
  { params, query },
  { db, point, space, urls },
) => readPageByPath(params.pagePath, { db, point, query, to: { urls, base: `/spaces/${space.id}` } });
