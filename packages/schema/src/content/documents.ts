import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { createPointEndpoints } from '../points.ts';
import { DocumentQuery } from './pages.ts';

/** A page's content as a tree of blocks. The type of a block determines the fields of its `data`. */
export const JSONDocument = z
  .object({
    object: z.literal('document'),
    data: z.record(z.string(), z.unknown()),
    nodes: z.array(z.unknown()),
  })
  .meta({ id: 'JSONDocument' });
export type JSONDocument = z.infer<typeof JSONDocument>;

const MetaLinkTarget = z
  .discriminatedUnion('kind', [
    /** `href` is an extension of the GitBook API: the URL of the page in the visited site. */
    z.object({ kind: z.literal('page'), page: z.string(), space: z.string().optional(), href: z.string().optional() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
  ])
  .meta({ id: 'MetaLinkTarget' });

const readOptions = {
  method: 'GET',
  scope: 'space:read',
  success: 200,
  cache: 'revision',
  visitors: 'allowed',
} as const;

/** The canonical and alternate locations of a page in a site, as references. */
export const PageMetaLinks = z
  .object({ canonical: MetaLinkTarget.optional(), alternates: z.array(MetaLinkTarget) })
  .meta({ id: 'PageMetaLinks' });
export type PageMetaLinks = z.infer<typeof PageMetaLinks>;

/** Endpoints for renderers: documents of pages and reusable contents, evaluated and with resolved link targets. */
export const publishedDocumentEndpoints = createPointEndpoints({
  getPageDocument: {
    ...readOptions,
    path: '/content/page/:pageId/document',
    params: z.object({ pageId: Id }),
    query: DocumentQuery,
    response: JSONDocument,
    at: {
      revision: { id: 'getPageDocumentInRevisionById', summary: 'Get the document of a page of a revision' },
    },
  },
  getReusableContentDocument: {
    ...readOptions,
    path: '/content/reusable-contents/:reusableContentId/document',
    params: z.object({ reusableContentId: Id }),
    query: DocumentQuery,
    response: JSONDocument,
    at: {
      revision: {
        id: 'getReusableContentDocumentInRevisionById',
        summary: 'Get the document of a reusable content of a revision',
      },
    },
  },
  listPageMetaLinks: {
    ...readOptions,
    path: '/content/page/:pageId/meta-links',
    params: z.object({ pageId: Id }),
    response: PageMetaLinks,
    at: {
      live: { id: 'listSpacePageMetaLinks', summary: 'List the alternates of a page of the live content' },
      changeRequest: {
        id: 'listChangeRequestPageMetaLinks',
        summary: 'List the alternates of a page of a change request',
      },
      revision: { id: 'listRevisionPageMetaLinks', summary: 'List the alternates of a page of a revision' },
    },
  },
});

export const documentEndpoints = contract({
  getDocumentById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/documents/:documentId',
    summary: 'Get a document of the live content by its id',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, documentId: Id }),
    response: JSONDocument,
    success: 200,
    cache: 'revision',
  },
});
