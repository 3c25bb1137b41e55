import { readRow } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { LinkingText, readLateLinks } from '../../engine/links/late-links.ts';
import { findContent, findPage, toIdKey } from '../../engine/reading/find-content.ts';
import { readReferences, toPointReading, toPublishedText } from '../../engine/reading/page-text.ts';
import { createSpaceScope } from '../../engine/reading/visibility.ts';
import { readAlternates, toAlternates } from '../../engine/sites/site-locations.ts';
import { toNode } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import { findDocumentNode } from './queries.ts';

/**
 * A document that the live content uses, as it is at one that does; the same text in another space of the organization
 * says nothing here.
 */
export const getDocumentById = handler('getDocumentById', async ({ params }, { db, space, urls }) => {
  const row = await readRow(db, findDocumentNode(space.head, params.documentId));
  const node = row && toNode(row);
  if (row === undefined || node === undefined) throw notFound('document');
  const text = { node, markdown: row.markdown, scope: createSpaceScope([]), contents: new Map() };
  const form = { evaluated: false, dereferenced: false };
  const at = { db, point: space.head, space: space.id, urls, shown: undefined };
  const { linkedNodes } = await readLateLinks([new LinkingText(text)], at);
  return toPublishedText(text, form, { reading: { space: space.id, urls, linkedNodes }, isKept: true });
});

/**
 * The document of a page as renderers take it, in one round trip, and one more where a visitor's refers to other
 * spaces, or where a target came after its text; a page without one has an empty one.
 */
export const getPageDocument = handler(
  'getPageDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const reading = toPointReading(context);
    const found = await findPage(toIdKey(params.pageId), { depth: 0, isEvaluated: true, computed: true }, reading);
    return toPublishedText(
      found.text,
      { evaluated, dereferenced },
      {
        reading: await readReferences(found, reading),
        isKept: false,
      },
    );
  },
);

/** The document of a reusable content as renderers take it, in one round trip, as that of a page. */
export const getReusableContentDocument = handler(
  'getReusableContentDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const found = await findContent(params.reusableContentId, context);
    return toPublishedText(
      found.text,
      { evaluated, dereferenced },
      {
        reading: await readReferences(found, toPointReading(context)),
        isKept: false,
      },
    );
  },
);

/** Where else a visitor finds a page in the site; who reads a space without a site is told of no other place. */
export const listPageMetaLinks = handler('listPageMetaLinks', async ({ params: { pageId } }, context) => {
  const { visitor } = context;
  const read = visitor && readAlternates(pageId, { ...context, visitor });
  const parts = { depth: 0, isEvaluated: false, computed: true, alternates: read };
  const { alternates } = await findPage(toIdKey(pageId), parts, toPointReading(context));
  return { alternates: visitor === undefined ? [] : await toAlternates(pageId, alternates, { ...context, visitor }) };
});
