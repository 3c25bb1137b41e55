import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findContent } from '../../engine/reading/find-content.ts';
import { publishedText } from '../../engine/reading/page-text.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The document of a reusable content as renderers take it, in one round trip. */
export const getReusableContentDocument: Handler<
  Served<typeof content, 'getReusableContentDocument'>,
  ContentEnvironment
> = async ({ params, query: { evaluated, dereferenced } }, { db, point, space: { id: space }, urls, visitor }) => {
  const { text, shown } = await findContent(params.reusableContentId, { db, point, visitor });
  const form = { evaluated, dereferenced };
  return publishedText(text, form, { space, urls, shown });
};
