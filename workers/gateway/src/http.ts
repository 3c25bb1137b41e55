import { ApiError, invalid } from '@octavo/schema';

const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Rejects a request without a valid address or with an unknown method. The runtime joins the `Host` header and the path
 * unchecked, so a `Host` that is not a host name would become part of the path. @throws ApiError
 */
export function requireAddress({ headers, method }: Request, url: URL | null): URL {
  const host = headers.get('host');
  if (url === null || (host !== null && !hostPattern.test(host)))
    throw invalid([{ path: 'headers.host', message: 'must be one hostname, optionally with a port' }]);
  if (!methods.has(method)) throw new ApiError('unknown_method', 'This HTTP method is not supported.');
  return url;
}

/** Turns HEAD into GET without ranges. The body of the response is dropped at the end. */
export function toGet(request: Request): Request {
  if (request.method !== 'HEAD') return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  headers.delete('range');
  return new Request(request.url, { headers, redirect: 'manual' });
}

export async function removeBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

const exposed =
  'accept-ranges, content-range, etag, idempotency-replayed, location, ratelimit, ratelimit-policy, retry-after, server-timing, tus-resumable, upload-length, upload-offset, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, octavo-bookmark, octavo-ignored-fields, octavo-missing-scripts, octavo-request-id';

/** The API takes bearer tokens and no cookies, so any origin may call it without credentials. */
export function setCors(headers: Headers): void {
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', exposed);
}

export const createPreflight = (): Response =>
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
