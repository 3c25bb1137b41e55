import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageById, partsOf, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageById: Handler<Served<typeof content, 'getPageById'>, ContentEnvironment> = async (
  { params, query },
  { db, point, space: { id: space }, urls, visitor, alsoFollowsFrom },
) => {
  const reading = { db, point, space, visitor, alsoFollowsFrom, to: { urls, base: `/spaces/${space}` } };
  return presentRead(await findPageById(params.pageId, partsOf(query), reading), query, reading);
};
