import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findContent } from '../../engine/reading/find-content.ts';
import { textAsMarkdown } from '../../engine/reading/page-text.ts';
import { presentReusableContent } from '../../engine/reading/present-reusable-content.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** A reusable content with its text, in one round trip. */
export const getReusableContentById: Handler<
  Served<typeof content, 'getReusableContentById'>,
  ContentEnvironment
> = async ({ params: { reusableContentId: id } }, { db, point, space, urls, visitor }) => {
  const isVisited = visitor !== undefined;
  const { text, shown } = await findContent(id, { db, point, visitor });
  const form = { evaluated: false, dereferenced: isVisited, references: 'written' } as const;
  const markdown = textAsMarkdown(text, form, { space: space.id, urls, shown });
  return { ...presentReusableContent(text.node, { isVisited }), markdown };
};
