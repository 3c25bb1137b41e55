import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { publishedText } from '../../engine/reading/page-text.ts';
import { findPageById } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The document of a page as renderers take it, in one round trip; a page without one has an empty one. */
export const getPageDocument: Handler<Served<typeof content, 'getPageDocument'>, ContentEnvironment> = async (
  { params, query: { evaluated, dereferenced } },
  { db, point, space: { id: space }, urls, visitor, alsoFollowsFrom },
) => {
  const reading = { db, point, space, visitor, alsoFollowsFrom, to: { urls, base: `/spaces/${space}` } };
  const { text, shown } = await findPageById(params.pageId, { depth: 0, isEvaluated: true, computed: true }, reading);
  const form = { evaluated, dereferenced };
  return publishedText(text, form, { space, urls, shown });
};
