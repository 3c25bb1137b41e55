import { defaultMaxBodyBytes, discardBody, errorResponse, log, requestIdHeader } from '@octavo/runtime';
import { ApiError, newId, notFound } from '@octavo/schema';
import { setClientAddress } from './client-address.ts';
import { preflight, withCors } from './cors.ts';
import type { GatewayEnvironment } from './environment.ts';
import { asGet, withoutBody } from './head.ts';
import { admit } from './limits/admit.ts';
import { pageAt } from './pages.ts';
import { requireAddress } from './require-address.ts';
import { loggedPathOf, pagesAt, routeOf } from './route.ts';

const maxUrlLength = 16_384;

async function answer(request: Request, env: GatewayEnvironment, requestId: string): Promise<Response> {
  if (request.url.length > maxUrlLength)
    throw new ApiError('too_large', `The URL is longer than ${maxUrlLength} characters.`);
  const { pathname } = new URL(request.url);
  const page = pageAt(request, env);
  if (page !== undefined) return page;
  const route = pagesAt(pathname) ?? routeOf(request.method, pathname);
  if (route === undefined) throw notFound('path');
  const limit = route.endpoint.maxBodyBytes ?? defaultMaxBodyBytes;
  if (Number(request.headers.get('content-length') ?? 0) > limit) {
    throw new ApiError('too_large', `The body is larger than ${limit} bytes.`);
  }
  const headers = new Headers(request.headers);
  headers.set(requestIdHeader, requestId);
  setClientAddress(headers, env);
  const { rate } = route.endpoint;
  const send = () => env[route.binding].fetch(new Request(request, { headers }));
  return admit({ headers, pathname, kind: rate ?? 'requests', env, requestId }, send);
}

/** Refused first is what no later part could trust: an address that is none, a method that there is not. */
async function answerAny(request: Request, env: GatewayEnvironment, requestId: string): Promise<Response> {
  requireAddress(request);
  return request.method === 'OPTIONS' ? preflight() : answer(asGet(request), env, requestId);
}

export default {
  async fetch(request, env) {
    const started = Date.now();
    const requestId = newId('request');
    const inner = await answerAny(request, env, requestId).catch((error: unknown) => errorResponse(error, requestId));
    await discardBody(request);
    const response = withCors(request.method === 'HEAD' ? await withoutBody(inner) : inner);
    response.headers.set(requestIdHeader, requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    response.headers.set('referrer-policy', 'no-referrer');
    log('info', 'request', {
      requestId,
      method: request.method,
      path: loggedPathOf(request.url),
      status: response.status,
      milliseconds: Date.now() - started,
      cost: response.headers.get('server-timing') ?? undefined,
    });
    return response;
  },
} satisfies ExportedHandler<GatewayEnvironment>;
