import { ids, siteUrl } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { document } from './examples.ts';

const alternate = {
  kind: 'page',
  page: ids.page,
  space: 'spc_7bNm35KsLd8PqWzE1xCn',
  href: `${siteUrl}/fr/get-started/install`,
} as const;

export const documents: ResourceDocumentation = {
  operations: {
    getDocumentById: {
      description:
        'Returns a text of the live content as a tree of blocks. Returns 404 if no page or reusable content of the ' +
        'live content has this text.',
    },
    getPageDocumentInRevisionById: {
      description:
        'Returns the text of a page of a revision as a tree of blocks, in the form that renderers use: without blocks ' +
        'that only editors need, and with resolved link targets. The document of a page without a text is empty.',
    },
    ...forEachContent(
      {
        listSpacePageMetaLinks: 'the live content',
        listChangeRequestPageMetaLinks: 'a change request',
        listRevisionPageMetaLinks: 'a revision',
      },
      (content) => ({
        description:
          `Lists the locations of a page of ${content} elsewhere in the site, such as its translations: the page with ` +
          'the same id or path in the other site spaces of the section. Only visitors receive alternates; members ' +
          'receive an empty list.',
      }),
    ),
  },
  schemas: {
    JSONDocument: {
      description: 'A text as a tree of blocks.',
      properties: {
        data: 'Properties of the document, such as the version of its schema.',
        nodes: 'The blocks. The type of a block determines its `data`.',
      },
      example: document,
    },
    PageMetaLinks: {
      description: 'The locations of a page in a site.',
      properties: {
        canonical: 'The canonical location. Never set: each page is canonical.',
        alternates: 'The same page in other languages or versions, in the order of the site.',
      },
      example: { alternates: [alternate] },
    },
    MetaLinkTarget: {
      description: 'A location of a page.',
      properties: {
        kind: 'The kind of location.',
        page: 'The id of the page.',
        space: 'The id of the space. Absent if it is the same space.',
        href: 'The URL of the page on the site.',
        url: 'The URL of the location.',
      },
      example: alternate,
    },
  },
};
