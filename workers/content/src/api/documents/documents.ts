import { readRow } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { LinkingText, readLateLinks } from '../../engine/links/late-links.ts';
import { findContent, findPage, toIdKey } from '../../engine/reading/find-content.ts';
import { toPointReading, toPublishedText } from '../../engine/reading/page-text.ts';
import { readReferences } from '../../engine/reading/references.ts';
import { createSpaceScope } from '../../engine/reading/visibility.ts';
import { readAlternates, toAlternates } from '../../engine/sites/site-locations.ts';
import { toNode } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import { findDocumentNode } from './queries.ts';

/**
 * Returns a document that the live content uses. A document that only another space of the organization uses is not
 * found.
 */
export const getDocumentById = handler('getDocumentById', async ({ params }, { db, space, urls }) => {
  const row = await readRow(db, findDocumentNode(space.head, params.documentId));
  const node = row && toNode(row);
  if (row === undefined || node === undefined) throw notFound('document');
  const text = { node, markdown: row.markdown, scope: createSpaceScope([]), contents: new Map() };
  const form = { evaluated: false, dereferenced: false };
  const reading = { db, lineage: JSON.stringify(space.head.lineage), space: space.id, urls, shownPages: undefined };
  const { linkedNodes } = await readLateLinks([new LinkingText(text)], reading);
  return toPublishedText(text, form, { reading: { space: space.id, urls, linkedNodes }, isKept: true });
});

/**
 * Returns the document of a page for renderers; it is empty if the page has none. One round trip, and one more if a
 * visitor's text links to other spaces or if a target was created later.
 */
export const getPageDocument = handler(
  'getPageDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const reading = toPointReading(context);
    const foundPage = await findPage(toIdKey(params.pageId), { depth: 0, isEvaluated: true, computed: true }, reading);
    const { references, text } = await readReferences(foundPage, reading);
    return toPublishedText(text, { evaluated, dereferenced }, { reading: references, isKept: false });
  },
);

/** Returns the document of a reusable content for renderers, like that of a page. */
export const getReusableContentDocument = handler(
  'getReusableContentDocument',
  async ({ params, query: { evaluated, dereferenced } }, context) => {
    const content = await findContent(params.reusableContentId, context);
    const { references, text } = await readReferences(content, toPointReading(context));
    return toPublishedText(text, { evaluated, dereferenced }, { reading: references, isKept: false });
  },
);

/** Returns the alternates of a page in the visited site; none if the space is read without a site. */
export const listPageMetaLinks = handler('listPageMetaLinks', async ({ params: { pageId } }, context) => {
  const { visitor } = context;
  const read = visitor && readAlternates(pageId, { ...context, visitor });
  const parts = { depth: 0, isEvaluated: false, computed: true, alternates: read };
  const { alternates } = await findPage(toIdKey(pageId), parts, toPointReading(context));
  return { alternates: visitor === undefined ? [] : await toAlternates(pageId, alternates, { ...context, visitor }) };
});
