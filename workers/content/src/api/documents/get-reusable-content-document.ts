import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findContent } from '../../engine/reading/find-content.ts';
import { publishedText } from '../../engine/reading/page-text.ts';
import { pointReading, readReferences } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The document of a reusable content as renderers take it, in one round trip, as that of a page. */
export const getReusableContentDocument: Handler<
  Served<typeof content, 'getReusableContentDocument'>,
  ContentEnvironment
> = async ({ params, query: { evaluated, dereferenced } }, context) => {
  const found = await findContent(params.reusableContentId, context);
  return publishedText(
    found.text,
    { evaluated, dereferenced },
    {
      reading: await readReferences(found, pointReading(context)),
      isKept: false,
    },
  );
};
