import { readRow } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { LinkingText, readLateLinks } from '../../engine/links/late-links.ts';
import {
  queryContent,
  readReferences,
  toFoundContent,
  toFoundPage,
  toIdKey,
} from '../../engine/reading/find-content.ts';
import { toPointReading, toPublishedText } from '../../engine/reading/page-text.ts';
import { createSpaceScope } from '../../engine/reading/visibility.ts';
import { readAlternates, toAlternates } from '../../engine/sites/site-locations.ts';
import { getPage } from '../../engine/store/content.ts';
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
export const getPageDocument = handler('getPageDocument', {
  reads: ({ params }, scope) => getPage(scope, toIdKey(params.pageId), documentOptions),
  handle: async ({ params, query: { evaluated, dereferenced } }, context, rows) => {
    const reading = toPointReading(context);
    const foundPage = await toFoundPage(rows, { key: toIdKey(params.pageId), ...documentOptions }, reading);
    const { references, text } = await readReferences(foundPage, reading);
    return toPublishedText(text, { evaluated, dereferenced }, { reading: references, isKept: false });
  },
});

const documentOptions = { depth: 0, isEvaluated: true, computed: true };

/** Returns the document of a reusable content for renderers, like that of a page. */
export const getReusableContentDocument = handler('getReusableContentDocument', {
  reads: ({ params }, scope) => queryContent(params.reusableContentId, scope),
  async handle({ params, query: { evaluated, dereferenced } }, context, rows) {
    const content = await toFoundContent(rows, params.reusableContentId, context);
    const { references, text } = await readReferences(content, toPointReading(context));
    return toPublishedText(text, { evaluated, dereferenced }, { reading: references, isKept: false });
  },
});

/** Returns the alternates of a page in the visited site; none if the space is read without a site. */
export const listPageMetaLinks = handler('listPageMetaLinks', {
  reads: ({ params: { pageId } }, scope) => ({
    ...getPage(scope, toIdKey(pageId), metaLinkOptions),
    alternates: scope.visitor
      ? readAlternates(toIdKey(pageId), { ...scope, visitor: scope.visitor })
      : { sites: [], rows: [] },
  }),
  handle: async ({ params: { pageId } }, context, { alternates, ...rows }) => {
    const { visitor } = context;
    await toFoundPage(rows, { key: toIdKey(pageId), ...metaLinkOptions }, toPointReading(context));
    return { alternates: visitor === undefined ? [] : await toAlternates(pageId, alternates, { ...context, visitor }) };
  },
});

const metaLinkOptions = { depth: 0, isEvaluated: false, computed: true };
