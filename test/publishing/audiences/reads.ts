import type { Operation } from '../../support/endpoints.ts';
import { addressOf, operations } from '../../support/endpoints.ts';
import { platform } from '../../support/platform.ts';

/** What of a site a visitor may call at all. */
export const visited: Operation[] = operations.filter(({ endpoint }) => endpoint.visitors !== undefined);

interface Row {
  /** What the operation is asked for with. */
  query?: (ids: Record<string, string>) => string;
  body?: object;
  /** Whether none but previews are answered. */
  isOfPreview?: true;
}

const ofPreview: Row = { isOfPreview: true };

/** How each of them is read. */
export const rows: Record<string, Row> = {
  getSiteById: {},
  getPublishedContentSite: {},
  getSiteRedirectBySource: { query: ({ oldPath = '/made-up' }) => `?source=${encodeURIComponent(oldPath)}` },
  getSiteStructure: {},
  listSiteSections: {},
  listSiteSpaces: {},
  searchSiteContent: { body: { query: 'words', mode: 'all' } },
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

/** The address of a read with these ids; a parameter that has none gets a made-up one. */
export const readAddress = ({ id, endpoint }: Operation, ids: Record<string, string>): string =>
  `${addressOf(endpoint, ids)}${rows[id]?.query?.(ids) ?? ''}`;

export const read = (operation: Operation, ids: Record<string, string>, token: string | undefined): Promise<Response> =>
  platform().request(readAddress(operation, ids), {
    token,
    method: operation.endpoint.method,
    ...(rows[operation.id]?.body === undefined ? {} : { body: rows[operation.id]?.body }),
  });

const tellsByItself = new Set(['date', 'octavo-request-id', 'octavo-bookmark', 'content-length', 'server-timing']);

/** All that a refusal tells, but its request id, the time and the ids that the caller sent. */
export async function told(answer: Response, sent: Record<string, string>) {
  let text = await answer.text();
  for (const id of Object.values(sent)) if (id !== '') text = text.replaceAll(id, '');
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  const headers = [...answer.headers].filter(([name]) => !tellsByItself.has(name));
  return { status: answer.status, headers, error: { ...error, requestId: '' } };
}
