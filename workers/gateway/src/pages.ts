import type { Route } from '@octavo/runtime';
import { createHtmlPage, getPreferredType, getStorageError, html } from '@octavo/runtime';
import { apiVersion, bodyTooLarge, contracts, maxOperatorBodyBytes, notFound, operatorPath } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { admitOperator } from './limits.ts';
import { openApiDocument } from './openapi.ts';
import { createReferencePage, referenceContentSecurityPolicy, referenceScriptPath } from './reference.ts';

const createPage = (body: string, contentSecurityPolicy: string): Response =>
  new Response(body, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentSecurityPolicy },
  });

/** The icon of an open book. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f3a5f"/><path d="M16 9v16M16 9c-3-2-7-2-10-1v15c3-1 7-1 10 2 3-3 7-3 10-2V8c-3-1-7-1-10 1z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>`;

const createFavicon = (): Response =>
  new Response(picture, { headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' } });

interface PageClient {
  address: string | undefined;
  requestId: string;
}

/** A page that the gateway serves itself. Only refused calls of an operator count towards a limit. */
export interface GatewayPage {
  page: (env: GatewayEnvironment, request: Request, client: PageClient) => Response | Promise<Response>;
}

const createGetRoute = (path: string, page: GatewayPage['page']): Route<GatewayPage> => ({
  method: 'GET',
  path,
  target: { page },
});

export const ownPages: Route<GatewayPage>[] = [
  createGetRoute('/', () => new Response(null, { status: 302, headers: { location: '/app' } })),
  createGetRoute('/health', checkHealth),
  createGetRoute('/openapi.json', openApi),
  createGetRoute('/reference', () => createPage(createReferencePage(), referenceContentSecurityPolicy)),
  createGetRoute(referenceScriptPath, (env) => serveScript(referenceScriptPath, env)),
  createGetRoute('/favicon.ico', createFavicon),
  { method: 'ALL', path: `${operatorPath}/*`, target: { page: forwardToOperator } },
];

/** Whether a browser opens a URL as a page. Other programs receive errors as JSON. */
export const isPageVisit = (request: Request): boolean =>
  request.method === 'GET' && getPreferredType(request) === 'text/html';

/** Creates the 404 page for browsers. */
export const createUnmatchedPage = (): Response =>
  createHtmlPage({
    title: 'Page not found',
    body: html`<p>There is no page at this URL. Check it for typos, or <a href="/app">open the app</a>.</p>`,
    status: 404,
  });

/** Forwards the calls of an operator on Cloudflare to the operator's worker, which authenticates them. */
async function forwardToOperator(env: GatewayEnvironment, request: Request, client: PageClient): Promise<Response> {
  const { OPERATOR: worker } = env;
  if (worker === undefined) throw notFound('path');
  // The worker reads the whole body of a signed call into memory, so a body without `content-length` is rejected.
  const length = Number(
    request.headers.get('content-length') ?? (request.body === null ? 0 : Number.POSITIVE_INFINITY),
  );
  if (length > maxOperatorBodyBytes) throw bodyTooLarge(maxOperatorBodyBytes);
  return admitOperator({ env, ...client }, async () => {
    const response = await worker.fetch(request);
    return new Response(response.body, response);
  });
}

/** A server that cannot write is unhealthy, although it still serves reads. */
function checkHealth(): Response {
  const problem = getStorageError()?.message;
  if (problem === undefined) return Response.json({ status: 'ok' });
  return Response.json({ status: 'error', reads: 'ok', writes: problem }, { status: 503 });
}

/** The documents as JSON. Serializing one takes milliseconds, and the route is public. */
const openApiTexts = new WeakMap<object, string>();

/** The documentation is loaded on demand, so that it does not slow down the start of an isolate. */
async function openApi({ OCTAVO_PUBLIC_URL: url }: GatewayEnvironment): Promise<Response> {
  const { documentation } = await import('@octavo/schema/documentation');
  const document = openApiDocument(contracts, { url, version: apiVersion, documentation });
  const text = openApiTexts.get(document) ?? JSON.stringify(document);
  openApiTexts.set(document, text);
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

/** On one machine, the binding of static files sets neither `content-type` nor `cache-control`. */
async function serveScript(pathname: string, env: GatewayEnvironment): Promise<Response> {
  const { body, status } = await env.ASSETS.fetch(`http://assets${pathname}`);
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=3600' };
  return new Response(body, { status, headers: status === 200 ? headers : {} });
}
