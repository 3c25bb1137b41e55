import { discardBody, errorResponse, log, requestIdHeader } from '@octavo/runtime';
import { newId } from '@octavo/schema';
import type { ReceivedRequest } from './answer.ts';
import { serveRequest } from './answer.ts';
import type { GatewayEnvironment } from './environment.ts';
import { createPreflight, removeBody, requireAddress, setCors, toGet } from './http.ts';
import { isOfSite, toLoggedPath } from './route.ts';

/** Rejects invalid addresses and unknown methods first: no later code could trust them. */
async function serveAny(
  request: Request,
  url: URL | null,
  received: Pick<ReceivedRequest, 'env' | 'requestId'>,
): Promise<Response> {
  const validUrl = requireAddress(request, url);
  return request.method === 'OPTIONS'
    ? createPreflight()
    : serveRequest({ request: toGet(request), url: validUrl, ...received });
}

export default {
  async fetch(request, env) {
    const started = Date.now();
    const requestId = newId('request');
    const url = URL.parse(request.url);
    const inner = await serveAny(request, url, { env, requestId }).catch((error: unknown) =>
      errorResponse(error, requestId),
    );
    await discardBody(request);
    const response = request.method === 'HEAD' ? await removeBody(inner) : inner;
    if (url === null || !isOfSite(url, env)) setCors(response.headers);
    response.headers.set(requestIdHeader, requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    response.headers.set('referrer-policy', 'no-referrer');
    log('info', 'request', {
      requestId,
      method: request.method,
      path: url === null ? undefined : toLoggedPath(url, env),
      status: response.status,
      milliseconds: Date.now() - started,
      cost: response.headers.get('server-timing') ?? undefined,
    });
    return response;
  },
} satisfies ExportedHandler<GatewayEnvironment>;
