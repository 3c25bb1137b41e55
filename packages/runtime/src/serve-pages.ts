import type { Connection } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Caller } from '@octavo/schema';
import { ApiError, errorStatus, isApiError, newId, notFound } from '@octavo/schema';
import type { Background, Environment } from './environment.ts';
import { html, htmlPage } from './html-page.ts';
import { requestIdHeader } from './implement.ts';
import { describe, log } from './log.ts';
import { originOf } from './origin.ts';
import { discardBody } from './read-body.ts';
import type { Urls } from './urls.ts';
import { urlsOf } from './urls.ts';

export interface PageContext<Env> {
  env: Env;
  background: Background;
  db: Connection['db'];
  urls: Urls;
  /** What the `:name` parts of the path hold; what a `:name+` holds is still URL-encoded. */
  params: Record<string, string>;
  requestId: string;
  /** Who commits, from where and under which request id; nobody where that is not known yet. */
  callerOf(actor: string): Caller;
}

/** What a browser asks for outside of the API: answered with a page or a redirect. */
export interface Page<Env> {
  method: 'GET' | 'POST';
  path: `/${string}`;
  handler(request: Request, context: PageContext<Env>): Response | Promise<Response>;
}

/** Makes a `fetch` of pages; an error is a page too, and what is not ours to tell is logged. */
export function servePages<Env extends Environment>(pages: Page<Env>[]) {
  const routes = pages.map((page) => ({ page, pattern: patternOf(page.path) }));
  return async (request: Request, env: Env, background: Background): Promise<Response> => {
    const requestId = request.headers.get(requestIdHeader) ?? '';
    try {
      const { page, params } = find(request);
      const { db } = connect(env.DB, { intent: 'write' });
      const callerOf = (actor: string): Caller => ({
        actor,
        requestId: requestId || newId('request'),
        origin: originOf(request),
      });
      return await page.handler(request, { env, background, db, urls: urlsOf(env), params, requestId, callerOf });
    } catch (error) {
      await discardBody(request);
      return errorPage(error, requestId);
    }
  };

  function find(request: Request): { page: Page<Env>; params: Record<string, string> } {
    const { pathname } = new URL(request.url);
    for (const { page, pattern } of routes) {
      const groups = page.method === request.method ? pattern.exec(pathname)?.groups : undefined;
      if (groups !== undefined) return { page, params: { ...groups } };
    }
    throw notFound('page');
  }
}

/** `:name` stands for one segment of letters, digits, `_` and `-`, a last `:name+` for anything, as it is encoded. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:(\w+)\+$/, '(?<$1>.+)').replace(/:(\w+)/g, '(?<$1>[\\w-]{1,256})')}(?<end>)$`);

function errorPage(error: unknown, requestId: string): Response {
  const known = isApiError(error) ? error : new ApiError('internal', 'Something went wrong on our side.');
  if (known !== error) log('error', 'unexpected error', { requestId, cause: describe(error) });
  return htmlPage({
    title: 'This did not work',
    body: html`<p>${known.message}</p><p>Request <code>${requestId}</code></p>`,
    status: errorStatus[known.type],
  });
}
