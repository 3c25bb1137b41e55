import type { BaseContext } from '@octavo/runtime';
import type { PdfExport, PdfRequest } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';

export const getPDF = handler('getPDF', ({ query }, context) => {
  const { caller, space, changeRequest, point } = context;
  const { id, organization, title } = space;
  const request = { ...caller, ...query, organization, space: id, revision: point.id, title };
  if (changeRequest === undefined) return exportPdf(request, context);
  const subtitle = [`Change request #${changeRequest.number}`, changeRequest.subject].filter(Boolean).join(': ');
  return exportPdf({ ...request, changeRequest: changeRequest.id, subtitle }, context);
});

/** Requests a PDF of a revision. The PDF of a page or a subtree has the title of the page. */
async function exportPdf(
  request: PdfRequest,
  { env, callWorker }: BaseContext<CollaborationEnvironment>,
): Promise<PdfExport> {
  const { space, revision, page } = request;
  if (page === undefined) return callWorker(() => env.PUBLISHING.requestPdf(request));
  const title = await callWorker((bookmark) => env.CONTENT.findPageTitle({ space, revision, page }, bookmark));
  if (title === null) throw notFound('page');
  return callWorker(() => env.PUBLISHING.requestPdf({ ...request, title }));
}
