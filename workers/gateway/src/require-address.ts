import { ApiError, invalid } from '@octavo/schema';

const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Refuses what has no address, or no method that there is. The runtime joins `Host` and path as they come: what is not
 * the name of a host would become part of the path.
 */
export function requireAddress({ headers, method }: Request, url: URL | null): URL {
  const host = headers.get('host');
  if (url === null || (host !== null && !hostPattern.test(host)))
    throw invalid([{ path: 'headers.host', message: 'is not the name of one host with its port' }]);
  if (!methods.has(method)) throw new ApiError('unknown_method', 'The API knows no such method.');
  return url;
}
