import {
  countRequest,
  createErrorResponse,
  discardBody,
  log,
  type RequestArea,
  requestIdHeader,
} from '@octavo/runtime';
import { createId } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { isOfApi, isOfSite, toLoggedPath } from './route.ts';
import type { LoggedClient, ReceivedRequest } from './serve-request.ts';
import { createPreflight, removeBody, requireAddress, serveRequest, setCors, toGet } from './serve-request.ts';

/** Rejects invalid addresses and unknown methods first, because later code relies on a valid URL and method. */
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

function getArea(url: URL | null, env: GatewayEnvironment): RequestArea {
  if (url === null) return 'page';
  if (isOfSite(url, env)) return 'site';
  return isOfApi(url) ? 'api' : 'page';
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
    const area = getArea(url, env);
    const { headers, status } = response;
    if (area !== 'site') setCors(headers);
    headers.set(requestIdHeader, requestId);
    headers.set('x-content-type-options', 'nosniff');
    headers.set('referrer-policy', 'no-referrer');
    const { method } = request;
    const milliseconds = Date.now() - started;
    countRequest(area, method, status, milliseconds);
    const path = url === null ? undefined : toLoggedPath(url, env);
    const cost = headers.get('server-timing') ?? undefined;
    log('info', 'request', { requestId, method, path, status, milliseconds, ...client, cost });
    return response;
  },
} satisfies ExportedHandler<GatewayEnvironment>;
