import { findEditedPages } from '@octavo/db';
import { formatServerTiming, HashCache, hasTag, LruMap, testKeyHeader } from '@octavo/runtime';
import { createCost } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { OpenSite } from '../resolution/find-site.ts';
import { getTokenExpiry } from '../resolution/visitors.ts';
import type { KeyParts } from './site-cache.ts';
import { hasSharedCache, readSharedEntry, SiteCache, storeSharedEntry, toCacheKey } from './site-cache.ts';
import type { SiteVisit } from './site-visit.ts';

/** A cached response with a gzipped body. */
interface CachedResponse {
  body: Uint8Array<ArrayBuffer>;
  headers: [name: string, value: string][];
  /** The expiry of the visitor's token, in seconds since 1970, if URLs in the response expire with it. */
  expires?: number | undefined;
  /** The pages whose texts it depends on; undefined if it depends on everything that the site shows. */
  usedPages: readonly string[] | undefined;
  /** The version of the site at which it was rendered. */
  shown: number;
  /** The last version of the site at which nothing was different. */
  checkedAt: number;
}

/** A response that is not cached yet. */
type CompressedResponse = Omit<CachedResponse, 'usedPages' | 'shown' | 'checkedAt'>;

/**
 * A rendered response, and its properties that the cache needs. They are in another object than the response, because
 * V8 frees a response with further properties, or as a key of a `WeakMap`, only in a full garbage collection.
 */
export interface RenderedResponse {
  response: Response;
  /** The body, if it is not streamed. */
  text?: string;
  /** The pages on whose texts it depends; undefined if it depends on all that its site shows. */
  usedPages?: readonly string[] | undefined;
  /** Whether the response may be cached. */
  isCacheable?: boolean;
}

/** Maximum number of used pages. A response with more pages counts as depending on everything in the site. */
const maxUsedPages = 50;

/** Whether the URLs in a cached response are those that a visitor would get now. */
const isCurrent = ({ expires }: CachedResponse): boolean =>
  expires === undefined || expires === getTokenExpiry(Date.now());

/** Only these headers are cached. The others depend on the request. */
const cachedHeaders = ['content-type', 'content-security-policy', 'permissions-policy', 'x-robots-tag', 'link'];

const toStream = (bytes: BufferSource) => new Blob([bytes]).stream();

/**
 * Compresses a response for the cache. `expiries` are the expiries that the visitor's token may have had. Signed URLs
 * contain the expiry as a number.
 */
export async function compressResponse(
  { response, text }: RenderedResponse,
  expiries: number[],
): Promise<CompressedResponse> {
  const body = response.body ?? toStream(new Uint8Array());
  const finder = createTextFinder(expiries.map(String));
  if (text !== undefined) finder.search(text);
  const searched = text === undefined ? body.pipeThrough(finder.createStream()) : body;
  const compressed = searched.pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(compressed).arrayBuffer());
  const headers = cachedHeaders.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  for (const [, value] of headers) finder.search(value);
  return { body: bytes, headers, expires: expiries.find((each) => finder.found.has(String(each))) };
}

/** Searches for ASCII texts of the same length, both in the chunks of a stream and in other texts. */
function createTextFinder(wanted: string[]) {
  const found = new Set<string>();
  const search = (text: string): void => {
    for (const each of wanted) if (text.includes(each)) found.add(each);
  };
  const createStream = () => {
    const decoder = new TextDecoder('latin1');
    // A wanted text can begin in one chunk and end in the next.
    const keptLength = Math.max(1, ...wanted.map(({ length }) => length));
    let end = '';
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = end + decoder.decode(chunk);
        search(text);
        end = text.slice(-keptLength);
        controller.enqueue(chunk);
      },
    });
  };
  return { createStream, search, found };
}

const hashes = new HashCache(1000, 2000);

/**
 * Creates a weak ETag for a cache key, since the body may be compressed or not. `expires` is the expiry of the URLs in
 * the response, if they expire.
 */
const createEtag = async (key: string, expires?: number): Promise<string> =>
  `W/"${(await hashes.getHash(expires === undefined ? key : `${key} ${expires}`)).slice(0, 32)}"`;

const acceptsGzip = (request: Request): boolean =>
  /(?:^|[\s,])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers.get('accept-encoding') ?? '');

interface CachingHeaders {
  tag: string;
  cacheControl: string;
}

/** Returns 304 if the client has the current response, else undefined. */
function respondNotModified(request: Request, { tag, cacheControl }: CachingHeaders): Response | undefined {
  if (!hasTag(request, tag.slice(2))) return undefined;
  return new Response(null, { status: 304, headers: { etag: tag, 'cache-control': cacheControl, vary } });
}

/** Responses depend on the requested format and on cookies, which identify visitors. */
const vary = 'accept, accept-encoding, cookie';

/** Creates a response from a cached one, compressed if the client accepts gzip. */
function respondCached(request: Request, { body, headers }: CachedResponse, shared: CachingHeaders): Response {
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
  site: string;
  key: string;
  /** The version of the site at which the response was rendered. */
  shown: number;
  shared: CachingHeaders;
}

const maxRecordedResponses = 2000;
const maxUrlLength = 1000;
const recordedResponses = new LruMap<RecordedResponse>(maxRecordedResponses);

/** Requests with these headers may get a different response. An API token has no effect. */
const personalHeaders = ['cookie', testKeyHeader];

function getRequestKey(request: Request): string | undefined {
  const { method, headers, url } = request;
  const isPlain = (method === 'GET' || method === 'HEAD') && url.length <= maxUrlLength;
  if (!isPlain || personalHeaders.some((name) => headers.has(name))) return undefined;
  return `${prefersMarkdown(request) ? 'markdown' : 'html'} ${url}`;
}

/** Remembers the response to a request if the state of the database is known. */
function recordResponse(request: Request, state: string | undefined, recorded: Omit<RecordedResponse, 'state'>): void {
  const name = state === undefined ? undefined : getRequestKey(request);
  if (state === undefined || name === undefined) return;
  recordedResponses.set(name, { ...recorded, state });
}

/** Returns the last response to the same request if the database has not changed since. */
function findRecordedResponse(request: Request, state: string, pages: SiteCache<CachedResponse>): Response | undefined {
  const name = getRequestKey(request);
  const recorded = name === undefined ? undefined : recordedResponses.get(name);
  if (recorded?.state !== state) return undefined;
  const cached = pages.find(recorded.site, recorded.key);
  if (cached?.shown !== recorded.shown) return undefined;
  return respondNotModified(request, recorded.shared) ?? respondCached(request, cached, recorded.shared);
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

const headersName = 'octavo-headers';
const expiresName = 'octavo-expires';
const shownName = 'octavo-shown';
const usedPagesName = 'octavo-used-pages';

/** Reads a response from the cache that all isolates of a data center share. */
const findSharedResponse = (env: PublishingEnvironment, key: string): Promise<CachedResponse | undefined> =>
  readSharedEntry(env, key, toResponse);

async function toResponse(stored: Response): Promise<CachedResponse> {
  const expires = stored.headers.get(expiresName);
  const used = stored.headers.get(usedPagesName);
  const shown = Number(stored.headers.get(shownName));
  return {
    ...{ shown, checkedAt: shown },
    usedPages: used === null ? undefined : used.split(' '),
    body: new Uint8Array(await stored.arrayBuffer()),
    headers: JSON.parse(decodeURIComponent(stored.headers.get(headersName) ?? '[]')) as CachedResponse['headers'],
    expires: expires === null ? undefined : Number(expires),
  };
}

/** Stores a response in the cache that all isolates of a data center share. No code deletes it before it expires. */
async function storeSharedResponse(
  env: PublishingEnvironment,
  key: string,
  { body, headers, expires, shown, usedPages }: CachedResponse,
): Promise<void> {
  await storeSharedEntry(env, key, body, {
    [shownName]: String(shown),
    ...(usedPages === undefined ? {} : { [usedPagesName]: usedPages.join(' ') }),
    [headersName]: encodeURIComponent(JSON.stringify(headers)),
    ...(expires === undefined ? {} : { [expiresName]: String(expires) }),
  });
}

const mebibyte = 1024 * 1024;
const pages = new SiteCache<CachedResponse>({
  ...{ maxBytes: 32 * mebibyte, maxBytesPerSite: 8 * mebibyte, isCurrent },
  getBytes: ({ body }) => body.length,
});

interface CachedRequest extends Pick<SiteVisit, 'request' | 'url' | 'env' | 'background'> {
  parts: KeyParts;
  open: OpenSite;
  cacheControl: string;
  /** Version of the database; undefined if it is not known. */
  state: string | undefined;
  /** Renders the response. */
  render: () => Promise<RenderedResponse>;
  /** Whether a rendered response may be cached. */
  isCacheable: (rendered: RenderedResponse) => boolean;
}

/** Whether everything that a cached response depends on is unchanged up to the current version of the site. */
function isUnchanged(cached: CachedResponse, { site, textEdits }: OpenSite): boolean {
  const { usedPages, checkedAt } = cached;
  if (checkedAt === site.shown) return true;
  const edited = usedPages && findEditedPages(textEdits, { since: checkedAt, shown: site.shown });
  if (edited === undefined || edited.some((page) => usedPages?.includes(page))) return false;
  cached.checkedAt = site.shown;
  return true;
}

/** Creates an ETag with the version at which a response was rendered. The site may have a later version. */
const createVersionTag = (
  key: string,
  { shown, expires }: Pick<CachedResponse, 'shown' | 'expires'>,
): Promise<string> => createEtag(`${key} ${shown}`, expires);

/** Returns the cached response to a request, or renders and caches it. */
export async function respondFromCache(cachedRequest: CachedRequest): Promise<Response> {
  const { request, background, open, parts, cacheControl, state, render, isCacheable } = cachedRequest;
  const { id, shown } = open.site;
  const key = toCacheKey(parts);
  if (request.headers.has('if-none-match'))
    for (const expires of [undefined, getTokenExpiry(Date.now())]) {
      const tag = await createVersionTag(key, { shown, expires });
      const notModified = respondNotModified(request, { tag, cacheControl });
      if (notModified !== undefined) return notModified;
    }
  let bypassed: Response | undefined;
  const createResponse = async (): Promise<CachedResponse | undefined> => {
    const expires = getTokenExpiry(Date.now());
    const rendered = await render();
    if (!isCacheable(rendered)) {
      bypassed = rendered.response;
      return undefined;
    }
    // If a UTC day has ended in the meantime, the response contains the expiry of either day.
    const compressed = await compressResponse(rendered, [expires, getTokenExpiry(Date.now())]);
    // A streamed response reads content until its end, so only now is it known whether it may be cached.
    if (!isCacheable(rendered)) return undefined;
    const { usedPages } = rendered;
    const isLong = usedPages !== undefined && usedPages.length > maxUsedPages;
    return { ...compressed, usedPages: isLong ? undefined : usedPages, shown, checkedAt: shown };
  };
  const isUsable = (cached: CachedResponse) => isUnchanged(cached, open);
  const load = () => loadShared(cachedRequest, key, { createResponse, isUsable });
  const cached = await pages.get(id, key, { load, background, shown, isUsable });
  if (cached === undefined) return bypassed ?? (await render()).response;
  const shared = { tag: await createVersionTag(key, cached), cacheControl };
  recordResponse(request, state, { site: id, key, shown: cached.shown, shared });
  return respondNotModified(request, shared) ?? respondCached(request, cached, shared);
}

interface ResponseSource {
  createResponse: () => Promise<CachedResponse | undefined>;
  isUsable: (cached: CachedResponse) => boolean;
}

/** Returns the response that another isolate of the data center has cached, or creates and caches it. */
async function loadShared(
  { env, background, url }: Pick<CachedRequest, 'env' | 'background' | 'url'>,
  key: string,
  { createResponse, isUsable }: ResponseSource,
): Promise<CachedResponse | undefined> {
  if (!hasSharedCache(env) || url.pathname.includes('/~/')) return createResponse();
  const cachedResponse = await findSharedResponse(env, key);
  if (cachedResponse !== undefined && isCurrent(cachedResponse) && isUsable(cachedResponse)) return cachedResponse;
  const created = await createResponse();
  if (created !== undefined) background.waitUntil(storeSharedResponse(env, key, created));
  return created;
}

/** Returns the previous response to a request if the database has not changed since. */
export function findRecordedSiteResponse(request: Request, state: string): Response | undefined {
  const response = findRecordedResponse(request, state, pages);
  response?.headers.set('server-timing', formatServerTiming(createCost(), true));
  return response;
}
