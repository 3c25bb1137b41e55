import type { RouteMatch } from '@octavo/runtime';
import {
  countRequest,
  createErrorResponse,
  discardBody,
  forward,
  log,
  type RequestArea,
  readClientAddress,
  readInput,
  requestIdHeader,
  respondConstant,
  unknownAddress,
} from '@octavo/runtime';
import type { UserId } from '@octavo/schema';
import {
  ApiError,
  bodyTooLarge,
  createId,
  defaultMaxBodyBytes,
  invalid,
  unmatchedPath,
  uploadHint,
} from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { admit } from './limits.ts';
import type { GatewayPage } from './pages.ts';
import { createUnmatchedPage, isPageVisit } from './pages.ts';
import type { RouteTarget } from './route.ts';
import { getSiteKey, isOfApi, isOfSite, matchRoute, toLoggedPath } from './route.ts';
import type { SessionRequest } from './session.ts';
import { convertSession, renewSession } from './session.ts';

/** Serves a request, and sets the headers that all responses have. */
export async function serveGatewayRequest(request: Request, env: GatewayEnvironment): Promise<Response> {
  const started = Date.now();
  const requestId = createId('request');
  const url = URL.parse(request.url);
  const client: LoggedClient = {};
  const inner = await serveValidRequest(request, url, { env, requestId, client }).catch((error: unknown) =>
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
}

/** Rejects invalid addresses and unknown methods first, because later code relies on a valid URL and method. */
async function serveValidRequest(
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

const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Rejects a request without a valid address or with an unknown method. The runtime joins the `Host` header and the path
 * unchecked, so a `Host` that is not a host name would become part of the path. @throws ApiError
 */
function requireAddress({ headers, method }: Request, url: URL | null): URL {
  const host = headers.get('host');
  if (url === null || (host !== null && !hostPattern.test(host)))
    throw invalid([{ path: 'headers.host', message: 'must be one hostname, optionally with a port' }]);
  if (!methods.has(method)) throw new ApiError('unknown_method', 'This HTTP method is not supported.');
  return url;
}

/** Turns HEAD into GET without ranges. The body of the response is dropped at the end. */
function toGet(request: Request): Request {
  if (request.method !== 'HEAD') return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  headers.delete('range');
  return new Request(request.url, { headers, redirect: 'manual' });
}

async function removeBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

const exposed =
  'accept-ranges, content-range, etag, idempotency-replayed, location, ratelimit, ratelimit-policy, retry-after, server-timing, tus-resumable, upload-length, upload-offset, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, octavo-bookmark, octavo-ignored-fields, octavo-missing-scripts, octavo-request-id';

/** The API takes bearer tokens and no cookies, so any origin may call it without credentials. */
function setCors(headers: Headers): void {
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', exposed);
}

const createPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, user-agent, prefer, octavo-bookmark, idempotency-key, if-match, if-none-match, tus-resumable, upload-offset',
      'access-control-max-age': '86400',
    },
  });

const maxUrlLength = 16_384;

/** The sender of a request, for the log, as far as it is known. */
interface LoggedClient {
  user?: UserId;
  address?: string;
}

interface ReceivedRequest {
  request: Request;
  url: URL;
  env: GatewayEnvironment;
  requestId: string;
  client: LoggedClient;
}

/** Routes a request to a worker, or responds itself. @throws ApiError */
async function serveRequest(received: ReceivedRequest): Promise<Response> {
  const { request, url, env, requestId } = received;
  if (request.url.length > maxUrlLength)
    throw new ApiError('too_large', `The URL must have at most ${maxUrlLength} characters.`);
  const match = matchRoute(request.method, url, env);
  if (match === undefined) return rejectUnmatched(request, url, env);
  const { target, params } = match;
  if ('page' in target)
    return target.page(env, request, { address: readClientAddress(request.headers, env), requestId });
  const session = convertSession(request, env, 'binding' in target ? target : {});
  try {
    return await serveTarget({ target, params }, session, received);
  } finally {
    // The conversion can move the body to another request, whose body the caller cannot discard.
    await discardBody(session.request);
  }
}

/** Sends a request to a worker, or responds with a constant, unless a limit is exceeded. @throws ApiError */
async function serveTarget(
  { target, params }: RouteMatch<Exclude<RouteTarget, GatewayPage>>,
  session: SessionRequest,
  { url, env, requestId, client }: ReceivedRequest,
): Promise<Response> {
  const { request } = session;
  const { headers } = request;
  const sent = readClientAddress(headers, env);
  const limit = target.endpoint.maxBodyBytes ?? defaultMaxBodyBytes;
  if (Number(headers.get('content-length') ?? 0) > limit) {
    throw bodyTooLarge(limit, 'operation' in target ? uploadHint : undefined);
  }
  const authorization = headers.get('authorization');
  const address = sent === unknownAddress ? undefined : sent;
  if (address !== undefined) client.address = address;
  const kind = target.endpoint.rate ?? 'requests';
  const site = 'binding' in target && target.isOfSite ? getSiteKey(url) : undefined;
  const identify = () => requestUser(env, authorization, { requestId, address });
  const { pathname } = url;
  const visit = { authorization, address: sent, pathname, kind, site, env, requestId, identify, client };
  const response = await admit(visit, async () => {
    if ('constant' in target) {
      await readInput('', target.endpoint, request, url);
      return respondConstant({ endpoint: target.endpoint, request, env, requestId }, target.constant(env));
    }
    const { binding, isOfSite = false, operation: name } = target;
    const operation = name === undefined ? undefined : { name, params };
    return forward(request, env[binding], { requestId, address, isOfSite, operation, url });
  });
  // A constant response must not call a worker, so it does not renew the session.
  if ('binding' in target) await renewSession(session, response, { env, requestId, address });
  return response;
}

/** Returns a 404 page to browsers outside of the API. @throws ApiError for all other requests */
function rejectUnmatched(request: Request, url: URL, env: GatewayEnvironment): Response {
  const error = unmatchedPath('path', (method) => matchRoute(method, url, env) !== undefined);
  if (error.type === 'not_found' && isPageVisit(request) && !isOfApi(url)) return createUnmatchedPage();
  throw error;
}

/** Requests the user of a token from the worker that knows it. Returns a response that names the user. */
const requestUser = (
  { OCTAVO_PUBLIC_URL, ORG_ADMIN }: GatewayEnvironment,
  authorization: string | null,
  context: { requestId: string; address: string | undefined },
): Promise<Response> => {
  const url = new URL('/v1/user', OCTAVO_PUBLIC_URL);
  const request = new Request(url, { headers: authorization === null ? {} : { authorization } });
  return forward(request, ORG_ADMIN, { ...context, url, operation: { name: 'getAuthenticatedUser', params: {} } });
};
