import { connect } from '@octavo/db';
import { type Background, errorResponse, toldOf } from '@octavo/runtime';
import { isApiError } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { resolveAddress } from '../resolution/resolve-address.ts';
import { filesPath, serveReaderFile } from './reader-files.ts';
import { routeOf } from './routes.ts';
import { missingPage, servePage } from './serve-page.ts';
import { siteApi } from './site-api.ts';

/** Answers what a browser or a program asks of a site: its pages, what is made of them, and the files that pages load. */
export async function serveSite(
  request: Request,
  env: PublishingEnvironment,
  background: Background,
): Promise<Response> {
  const { requestId } = toldOf(request);
  try {
    const url = addressOf(request, env);
    const [, file] = url.pathname.split(`/${filesPath}`, 2);
    return file === undefined
      ? await visitSite({ request, url, env, background })
      : await serveReaderFile(request, env, file);
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return missingPage();
    return errorResponse(error, requestId);
  }
}

/** The address at the server's own: whoever opens it by another name of this machine reads the same site. */
function addressOf(request: Request, { OCTAVO_PUBLIC_URL }: PublishingEnvironment): URL {
  const url = new URL(request.url);
  return url.pathname.startsWith('/-/') ? new URL(`${url.pathname}${url.search}`, OCTAVO_PUBLIC_URL) : url;
}

interface Asked {
  request: Request;
  url: URL;
  env: PublishingEnvironment;
  background: Background;
}

async function visitSite(asked: Asked): Promise<Response> {
  const { url, env } = asked;
  const { db, absorb } = connect(env.DB, { intent: 'read' });
  const visit = { url: url.href, jwt: undefined, unsigned: {}, redirectOnError: true };
  const content = await resolveAddress(visit, { env, db, absorb });
  if ('target' in content) return Response.redirect(content.redirect, 302);
  if (url.pathname === content.siteBasePath.slice(0, -1))
    return new Response(null, { status: 308, headers: { location: `${content.siteBasePath}${url.search}` } });
  const visited = { ...asked, content, api: siteApi({ ...asked, token: content.apiToken }) };
  return (routeOf(visited) ?? servePage)(visited);
}
