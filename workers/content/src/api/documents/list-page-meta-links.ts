import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageById } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** A page has no other place than its own: what is there is told to whoever may see it. */
export const listPageMetaLinks: Handler<Served<typeof content, 'listPageMetaLinks'>, ContentEnvironment> = async (
  { params },
  { db, point, space: { id: space }, urls, visitor, alsoFollowsFrom },
) => {
  const reading = { db, point, space, visitor, alsoFollowsFrom, to: { urls, base: `/spaces/${space}` } };
  await findPageById(params.pageId, { depth: 0, isEvaluated: false, computed: true }, reading);
  return { alternates: [] };
};
