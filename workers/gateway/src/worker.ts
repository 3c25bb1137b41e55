import { type Area, countRequest, createErrorResponse, discardBody, log, requestIdHeader } from '@octavo/runtime';
import { createId } from '@octavo/schema';
import type { LoggedClient, ReceivedRequest } from './answer.ts';
import { serveRequest } from './answer.ts';
import type { GatewayEnvironment } from './environment.ts';
import { createPreflight, removeBody, requireAddress, setCors, toGet } from './http.ts';
import { isOfSite, toLoggedPath } from './route.ts';

/** Rejects invalid addresses and unknown methods first: no later code could trust them. */
async function serveGatewayRequest(
  request: Request,
  url: URL | null,
  received: Pick<ReceivedRequest, 'env' | 'requestId' | 'client'>,
): Promise<Response> {
  const validUrl = requireAddress(request, url);
  return request.method === 'OPTIONS'
    ? createPreflight()
    : serveRequest({ request: toGet(request), url: validUrl, ...received });
}

function getArea(url: URL | null, env: GatewayEnvironment): Area {
  if (url !== null && isOfSite(url, env)) return 'site';
  return url?.pathname.startsWith('/v1') ? 'api' : 'page';
}

export default {
  async fetch(request, env) {
    const started = Date.now();
    const requestId = createId('request');
    const url = URL.parse(request.url);
    const client: LoggedClient = {};
    const inner = await serveGatewayRequest(request, url, { env, requestId, client }).catch((error: unknown) =>
      createErrorResponse(error, requestId),
    );
    await discardBody(request);
    const response = request.method === 'HEAD' ? await removeBody(inner) : inner;
    if (url === null || !isOfSite(url, env)) setCors(response.headers);
    response.headers.set(requestIdHeader, requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    response.headers.set('referrer-policy', 'no-referrer');
    const { method } = request;
    const { status } = response;
    const milliseconds = Date.now() - started;
    countRequest(getArea(url, env), method, status, milliseconds);
    log('info', 'request', {
      requestId,
      method,
      path: url === null ? undefined : toLoggedPath(url, env),
      status,
      milliseconds,
      ...client,
      cost: response.headers.get('server-timing') ?? undefined,
    });
    return response;
  },
} satisfies ExportedHandler<GatewayEnvironment>;
