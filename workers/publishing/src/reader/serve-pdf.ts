import { connect, type PdfRecord } from '@octavo/db';
import { getInterfaceTexts, renderNotice } from '@octavo/reader';
import { readGatewayContext, readVisitorToken, serveObject, toSafeName } from '@octavo/runtime';
import type { VisitorToken } from '@octavo/schema';
import type { RequestedPdf, VisitorPdf } from '../pdfs/pdfs.ts';
import { requestVisitorPdf } from '../pdfs/pdfs.ts';
import { createEmptyView, loadShell, type SiteShell } from './load-view.ts';
import { getSiteSpaces } from './navigation.ts';
import { createNotFoundPage, respondHtml } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';

const retryAfterSeconds = 2;
const retryBusySeconds = 600;
const maxNameLength = 80;

/** Serves all pages of a space that the visitor may see, or one of them, as a PDF. */
export async function servePdf(visit: SiteVisit): Promise<Response> {
  const { env, background, content, request } = visit;
  const token = await readVisitorToken(env, `Bearer ${content.apiToken}`);
  const shell = token?.preview === undefined ? await loadShell(visit) : undefined;
  const pdf = token && shell?.view.site.customization.pdf.enabled ? getVisitorPdf(visit, shell, token) : undefined;
  if (shell === undefined || pdf === undefined) return createNotFoundPage();
  const { db } = connect(env.DB, { intent: 'write' });
  const requested = await requestVisitorPdf(pdf, {
    db,
    env,
    background,
    requestId: readGatewayContext(request).requestId,
  });
  const response =
    requested !== 'busy' && requested.state === 'ready' ? await respondPdf(visit, pdf, requested) : undefined;
  return response ?? respondStatus(visit, shell, requested);
}

/** Returns the requested PDF; undefined if the visitor may not see the page. */
function getVisitorPdf(
  { url, content, shownState }: SiteVisit,
  shell: SiteShell,
  token: VisitorToken,
): VisitorPdf | undefined {
  const { tree, revision, published, view } = shell;
  const id = url.searchParams.get('page');
  const page = id === null ? undefined : tree.find(id);
  if (id !== null && page === undefined) return undefined;
  const spaces = getSiteSpaces(published);
  const currentSpace = spaces.length < 2 ? undefined : spaces.find((each) => each.id === content.siteSpace);
  return {
    ...{
      token,
      shown: shownState,
      address: `${view.site.url}${view.base}`,
      space: content.space,
      revision: revision.id,
    },
    ...{ page: page?.id ?? '', title: page?.title ?? view.site.title },
    subtitle: page === undefined ? (currentSpace?.title ?? '') : '',
  };
}

/** Serves the PDF file. Browsers must revalidate it each time, because the visitor may lose access. */
async function respondPdf(
  { request, env }: SiteVisit,
  { title, token }: VisitorPdf,
  { id }: Pick<PdfRecord, 'id'>,
): Promise<Response | undefined> {
  const name = `${toSafeName([...title].slice(0, maxNameLength).join(''))}.pdf`;
  const object = { name, key: id, contentType: 'application/pdf', etag: `"${id}"`, expires: token.expires };
  const response = await serveObject(request, env.RENDERED, object);
  response?.headers.set('cache-control', 'private, no-cache');
  response?.headers.set('vary', 'cookie');
  response?.headers.set('x-robots-tag', 'noindex');
  return response;
}

/** Responds with a page that says that the PDF is being created, or why there is none. */
async function respondStatus({ env }: SiteVisit, shell: SiteShell, requested: RequestedPdf): Promise<Response> {
  const texts = getInterfaceTexts(shell.view.site.customization.internationalization.locale);
  const state = requested === 'busy' ? requested : requested.state;
  const isWaiting = state === 'waiting';
  const title = isWaiting ? texts.pdfWaiting : state === 'refused' ? texts.pdfTooLarge : texts.pdfFailed;
  const view = createEmptyView(shell, `${shell.view.base}~/pdf`, title);
  const status = isWaiting ? 202 : state === 'refused' ? 413 : 503;
  const response = await respondHtml(env, renderNotice(view, isWaiting ? texts.pdfWaitingText : ''), {
    ...{ status, isIndexed: false },
  });
  if (status !== 413) response.headers.set('retry-after', String(isWaiting ? retryAfterSeconds : retryBusySeconds));
  if (isWaiting) response.headers.set('refresh', String(retryAfterSeconds));
  return response;
}
