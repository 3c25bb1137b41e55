import type { Operation } from '../../support/endpoints.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import { platform } from '../../support/platform.ts';

/** The operations that visitors may call. */
export const visited: Operation[] = operations.filter(({ endpoint }) => endpoint.visitors !== undefined);

interface Row {
  /** The query string of the request. */
  query?: (ids: Record<string, string>) => string;
  body?: object;
  /** Whether the operation is available only in previews. */
  isOfPreview?: true;
}

const ofPreview: Row = { isOfPreview: true };

/** The parameters of each visitor operation. */
export const rows: Record<string, Row> = {
  getSiteById: {},
  getPublishedContentSite: {},
  getSiteRedirectBySource: { query: ({ oldPath = '/made-up' }) => `?source=${encodeURIComponent(oldPath)}` },
  getSiteStructure: {},
  listSiteSections: {},
  listSiteSpaces: {},
  searchSiteContent: { body: { query: 'words', mode: 'all' } },
  suggestSiteContent: { body: { query: 'words', scope: { mode: 'all' } } },
  getSpaceById: {},
  getEmbedByUrlInSpace: { query: () => '?url=https%3A%2F%2Fexample.test%2Fa' },
  listPages: {},
  listPagesInChangeRequest: ofPreview,
  listPagesInRevisionById: {},
  getPageById: { query: () => '?format=document' },
  getPageInChangeRequestById: ofPreview,
  getPageInRevisionById: { query: () => '?format=markdown' },
  getPageByPath: { query: () => '?format=document' },
  getPageInChangeRequestByPath: ofPreview,
  getPageInRevisionByPath: {},
  listFiles: {},
  listFilesInChangeRequestById: ofPreview,
  listFilesInRevisionById: {},
  getFileById: {},
  getFileInChangeRequestById: ofPreview,
  getFileInRevisionById: {},
  getCurrentRevision: { query: () => '?metadata=true' },
  getRevisionOfChangeRequestById: ofPreview,
  getRevisionById: { query: () => '?metadata=true' },
  getReusableContentById: {},
  getReusableContentInChangeRequestById: ofPreview,
  getReusableContentInRevisionById: {},
  getChangeRequestById: ofPreview,
  getChangeRequestChanges: ofPreview,
  getRevisionSemanticChanges: ofPreview,
  getLatestOpenAPISpecVersionContent: {},
  getPageDocumentInRevisionById: {},
  getReusableContentDocumentInRevisionById: {},
  listSpacePageMetaLinks: {},
  listChangeRequestPageMetaLinks: ofPreview,
  listRevisionPageMetaLinks: {},
};

/** The path and query of a read with these ids. Parameters without an id get a placeholder. */
export const readAddress = ({ id, endpoint }: Operation, ids: Record<string, string>): string =>
  `${getAddress(endpoint, ids)}${rows[id]?.query?.(ids) ?? ''}`;

export const read = (operation: Operation, ids: Record<string, string>, token: string | undefined): Promise<Response> =>
  platform().request(readAddress(operation, ids), {
    token,
    method: operation.endpoint.method,
    ...(rows[operation.id]?.body === undefined ? {} : { body: rows[operation.id]?.body }),
  });

const tellsByItself = new Set(['date', 'octavo-request-id', 'octavo-bookmark', 'content-length', 'server-timing']);

/**
 * Returns everything that an error response reveals, without the request id, the time and the ids that the caller sent.
 */
export async function summarizeResponse(response: Response, sent: Record<string, string>) {
  let text = await response.text();
  for (const id of Object.values(sent)) if (id !== '') text = text.replaceAll(id, '');
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  const headers = [...response.headers].filter(([name]) => !tellsByItself.has(name));
  return { status: response.status, headers, error: { ...error, requestId: '' } };
}
