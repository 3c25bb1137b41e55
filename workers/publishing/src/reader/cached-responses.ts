import { HashCache, hasTag, testKeyHeader } from '@octavo/runtime';
import { getTokenExpiry } from '../resolution/visitors.ts';
import type { SiteCache } from './site-cache.ts';

/** A cached response with a gzipped body. */
export interface CachedResponse {
  body: Uint8Array<ArrayBuffer>;
  headers: [name: string, value: string][];
}

/** Only these headers are cached. The others depend on the request. */
const cachedHeaders = ['content-type', 'content-security-policy', 'permissions-policy', 'x-robots-tag', 'link'];

const toStream = (bytes: BufferSource) => new Blob([bytes]).stream();

/** Compresses a response for the cache. */
export async function compressResponse(response: Response): Promise<CachedResponse> {
  const body = response.body ?? toStream(new Uint8Array());
  const compressed = await new Response(body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
  const headers = cachedHeaders.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { body: new Uint8Array(compressed), headers };
}

const hashes = new HashCache(1000, 2000);

/** Creates a weak ETag for a cache key, since the body may be compressed or not. */
export const createEtag = async (key: string): Promise<string> => `W/"${(await hashes.getHash(key)).slice(0, 32)}"`;

const acceptsGzip = (request: Request): boolean =>
  /(?:^|[\s,])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers.get('accept-encoding') ?? '');

interface CachingHeaders {
  tag: string;
  cacheControl: string;
}

/** Returns 304 if the client has the current response, else undefined. */
export function respondNotModified(request: Request, { tag, cacheControl }: CachingHeaders): Response | undefined {
  if (!hasTag(request, tag.slice(2))) return undefined;
  return new Response(null, { status: 304, headers: { etag: tag, 'cache-control': cacheControl, vary } });
}

/** Responses depend on the requested format and on cookies, which identify visitors. */
const vary = 'accept, accept-encoding, cookie';

/** Creates a response from a cached one, compressed if the client accepts gzip. */
export function respondCached(request: Request, { body, headers }: CachedResponse, shared: CachingHeaders): Response {
  const responseHeaders = new Headers(headers);
  responseHeaders.set('etag', shared.tag);
  responseHeaders.set('cache-control', shared.cacheControl);
  responseHeaders.set('vary', vary);
  if (!acceptsGzip(request))
    return new Response(toStream(body).pipeThrough(new DecompressionStream('gzip')), { headers: responseHeaders });
  responseHeaders.set('content-encoding', 'gzip');
  return new Response(body, { headers: responseHeaders, encodeBody: 'manual' });
}

/** The last response to an anonymous request at one state of the database. */
interface RecordedResponse {
  state: string;
  expires: number;
  site: string;
  key: string;
  shared: CachingHeaders;
}

const maxRecordedResponses = 2000;
const maxUrlLength = 1000;
const recordedResponses = new Map<string, RecordedResponse>();

/** Requests with these headers may get a different response. An API token has no effect. */
const personalHeaders = ['cookie', testKeyHeader];

function getRequestKey(request: Request): string | undefined {
  const { method, headers, url } = request;
  const isPlain = (method === 'GET' || method === 'HEAD') && url.length <= maxUrlLength;
  if (!isPlain || personalHeaders.some((name) => headers.has(name))) return undefined;
  return `${prefersMarkdown(request) ? 'markdown' : 'html'} ${url}`;
}

/** Remembers the response to a request if the state of the database is known. */
export function recordResponse(
  request: Request,
  state: string | undefined,
  recorded: Omit<RecordedResponse, 'state' | 'expires'>,
): void {
  const name = state === undefined ? undefined : getRequestKey(request);
  if (state === undefined || name === undefined) return;
  recordedResponses.delete(name);
  const [oldest] = recordedResponses.keys();
  if (oldest !== undefined && recordedResponses.size >= maxRecordedResponses) recordedResponses.delete(oldest);
  recordedResponses.set(name, { ...recorded, state, expires: getTokenExpiry(Date.now()) });
}

/** Returns the last response to the same request if the database has not changed since. */
export function findRecordedResponse(
  request: Request,
  state: string,
  pages: SiteCache<CachedResponse>,
): Response | undefined {
  const name = getRequestKey(request);
  const recorded = name === undefined ? undefined : recordedResponses.get(name);
  if (recorded?.state !== state || recorded.expires !== getTokenExpiry(Date.now())) return undefined;
  const notModified = respondNotModified(request, recorded.shared);
  if (notModified !== undefined) return notModified;
  const cached = pages.find(recorded.site, recorded.key);
  return cached === undefined ? undefined : respondCached(request, cached, recorded.shared);
}

const markdown = /^text\/(?:x-)?markdown$/i;

/** Returns the quality of a type in an Accept header, from 0 to 1. */
function getQuality(accept: string, type: RegExp): number {
  const qualities = accept.split(',').flatMap((each) => {
    const [name = '', ...params] = each.split(';').map((part) => part.trim());
    const q = params.map((param) => /^q=([\d.]+)$/i.exec(param)?.[1]).find((value) => value !== undefined);
    return type.test(name) ? [Number(q ?? '1')] : [];
  });
  return Math.max(0, ...qualities.filter((quality) => quality <= 1));
}

/** Whether the client explicitly accepts markdown and does not prefer HTML. */
export function prefersMarkdown(request: Request): boolean {
  const accept = (request.headers.get('accept') ?? '').slice(0, 1000);
  const quality = getQuality(accept, markdown);
  return quality > 0 && quality >= getQuality(accept, /^text\/html$/i);
}
