import { type Connection, connect } from '@octavo/db';
import { buildContentPolicy, type Caller, createId, errorStatus, notFound, unmatchedPath } from '@octavo/schema';
import type { Background, Environment } from './environment.ts';
import { type RouteMatch, RouteMatcher, readGatewayContext } from './forward.ts';
import { getOrigin } from './request.ts';
import {
  createErrorResponse,
  createUrls,
  describeError,
  discardBody,
  formatServerTiming,
  getErrorHeaders,
  isMeasured,
  log,
  toApiError,
  type Urls,
} from './respond.ts';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escaped HTML, which templates insert unchanged. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template tag for HTML. Escapes values, unless they are `Html`. */
export const html = (parts: TemplateStringsArray, ...values: (string | number | Html)[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(escapeValue)));

/** Joins pieces of HTML. */
export const joinHtml = (pieces: Html[]): Html => new Html(pieces.map(({ text }) => text).join(''));

const escapeValue = (value: string | number | Html): string =>
  value instanceof Html ? value.text : String(value).replace(/[&<>"']/g, (char) => escapes[char] ?? char);

const contentSecurityPolicy = buildContentPolicy({
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
});

/**
 * Builds a page of the platform itself. It runs no scripts and can be neither cached nor framed. Its heading is its
 * title.
 */
export function createHtmlPage({
  title,
  body,
  status = 200,
}: {
  title: string;
  body: Html;
  status?: number;
}): Response {
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 15vh auto; padding: 0 1.5rem; color: light-dark(#1c2430, #e4e7eb); background: light-dark(#fff, #14161a) }
  h1 { line-height: 1.25; text-wrap: balance }
  a { color: light-dark(#1f5fd6, #7fb5f5) }
  code { background: light-dark(#f0f2f5, #262a31); padding: .15em .4em; border-radius: .3em; overflow-wrap: anywhere }
  label { display: block; margin-bottom: .25rem }
  input { font: inherit; color: inherit; background: transparent; box-sizing: border-box; width: 100%; margin-bottom: 1rem; padding: .5em .7em; border: 1px solid light-dark(#767d87, #8a919c); border-radius: .4em }
  details { margin-top: 2rem }
  summary { cursor: pointer; margin-bottom: 1rem }
  button { font: inherit; padding: .5em 1.2em; border: 0; border-radius: .4em; background: #1f5fd6; color: #fff; cursor: pointer }
</style>
<h1>${title}</h1>
${body}
</html>`;
  return new Response(page.text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
    },
  });
}

export interface PageContext<Env> {
  env: Env;
  background: Background;
  db: Connection['db'];
  urls: Urls;
  /** The values of the path's `:name` parts. The value of a `:name+` is still URL-encoded. */
  params: Record<string, string>;
  requestId: string;
  /** Returns the caller for a commit of this request; pass '' if the actor is unknown. */
  toCaller(actor: string): Caller;
}

/** A page or redirect outside of the API, for browsers. */
export interface ServedPage<Env> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** A `:name` matches letters, digits, `_` and `-`; a last `:name+` matches anything. */
  path: `/${string}`;
  /** The format of errors: JSON for programs; by default a page. */
  errors?: 'json';
  /** Whether the page is also served while another installation is imported, from the rows that exist. */
  isServedDuringImport?: true;
  handler(request: Request, context: PageContext<Env>): Response | Promise<Response>;
}

/** Returns a function that serves pages. An error is returned as a page too; unexpected errors are logged. */
export function servePages<Env extends Environment>(pages: ServedPage<Env>[]) {
  const routes = pages.map((page) => ({ method: page.method, path: page.path, target: page }));
  const matcher = new RouteMatcher(routes, { trailingSlash: 'refused' });
  return async (request: Request, pathname: string, env: Env, background: Background): Promise<Response> => {
    const { requestId } = readGatewayContext(request);
    let isJson = false;
    try {
      const match = matcher.match(request.method, pathname);
      if (match === undefined) throw unmatchedPath('page', (method) => matcher.match(method, pathname) !== undefined);
      if (!hasValidNames(match)) throw notFound('page');
      const { target: page, params } = match;
      isJson = page.errors === 'json';
      const { db, cost } = connect(env.DB, {
        intent: 'write',
        requiresComplete: page.isServedDuringImport !== true,
      });
      const createCaller = (actor: string): Caller => ({
        actor,
        requestId: requestId || createId('request'),
        origin: getOrigin(request),
      });
      const response = await page.handler(request, {
        env,
        background,
        db,
        urls: createUrls(env),
        params,
        requestId,
        toCaller: createCaller,
      });
      if (isMeasured(request, env) && !response.headers.has('server-timing'))
        response.headers.set('server-timing', formatServerTiming(cost, false));
      return response;
    } catch (error) {
      await discardBody(request);
      return isJson ? createErrorResponse(error, requestId) : createErrorPage(error, requestId);
    }
  };
}

const hasValidNames = ({ target: { path }, params }: RouteMatch<{ path: string }>): boolean =>
  Object.entries(params).every(([name, value]) => path.endsWith(`:${name}+`) || /^[\w-]{1,256}$/.test(value));

function createErrorPage(error: unknown, requestId: string): Response {
  const apiError = toApiError(error);
  if (apiError.type === 'internal') log('error', 'unexpected error', { requestId, cause: describeError(error) });
  const page = createHtmlPage({
    title: 'Something went wrong',
    body: html`<p>${apiError.message}</p><p>Request ID: <code>${requestId}</code></p>`,
    status: errorStatus[apiError.type],
  });
  for (const [name, value] of Object.entries(getErrorHeaders(apiError))) page.headers.set(name, value);
  return page;
}
