import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageByPath, partsOf, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageByPath: Handler<Served<typeof content, 'getPageByPath'>, ContentEnvironment> = async (
  { params, query },
  { db, point, space: { id: space }, urls, visitor, alsoFollowsFrom },
) => {
  const reading = { db, point, space, visitor, alsoFollowsFrom, to: { urls, base: `/spaces/${space}` } };
  return presentRead(await findPageByPath(params.pagePath, partsOf(query), reading), query, reading);
};
