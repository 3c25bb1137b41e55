import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { publishedText } from '../../engine/reading/page-text.ts';
import { findPageById, pointReading, readReferences } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

/**
 * The document of a page as renderers take it, in one round trip, and one more where a visitor's refers to other
 * spaces, or where a target came after its text; a page without one has an empty one.
 */
export const getPageDocument: Handler<Served<typeof content, 'getPageDocument'>, ContentEnvironment> = async (
  { params, query: { evaluated, dereferenced } },
  context,
) => {
  const reading = pointReading(context);
  const found = await findPageById(params.pageId, { depth: 0, isEvaluated: true, computed: true }, reading);
  return publishedText(
    found.text,
    { evaluated, dereferenced },
    {
      reading: await readReferences(found, reading),
      isKept: false,
    },
  );
};
