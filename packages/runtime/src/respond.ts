import type { Contract, Cost, Endpoint, ErrorType, ResponseOf, Visitor } from '@octavo/schema';
import {
  ApiError,
  createCost,
  errorStatus,
  findStorageFull,
  findUnavailable,
  invalid,
  isApiError,
  preconditionFailed,
} from '@octavo/schema';
import type { Environment, Settings } from './environment.ts';
import type { Authorized } from './find-object.ts';
import { HashCache } from './secrets.ts';
import type { SiteUrlLocation, SiteUrlParts, SiteUrlSettings } from './site-url.ts';
import { getLocationUrl, getOrganizationSiteUrl, getSiteUrl } from './site-url.ts';
import { isSmall, toJsonBytes } from './slices.ts';

/** Caches the hashes of 1,000 ETag sources. Sources of more than 300 characters are hashed each time. */
const sources = new HashCache(1000, 300);

/** Number of characters of the hash that follows the revision id in an ETag. */
const hashLength = 16;

/**
 * Returns the ETag of a response that depends on a revision: the revision's id, and a hash of everything else that the
 * response depends on: the URL, the build, and the visitor's claims. ETags of different URLs differ, so a missing
 * object is never "not modified".
 */
export async function createEtag(
  { cache }: Endpoint,
  { point, visitor }: Authorized,
  { url, env }: { url: URL; env: Settings },
): Promise<string | undefined> {
  if (cache === undefined || point === undefined) return undefined;
  const { pathname, search } = url;
  const source = [env.OCTAVO_BUILD ?? '', env.OCTAVO_PUBLIC_URL, `${pathname}${search}`, visitor?.key ?? ''].join('\n');
  const hash = await sources.getHash(source);
  return `"${point.id}.${hash.slice(0, hashLength)}"`;
}

/** Adds a hash of further sources to an ETag that consists of a revision and its hash. */
export const extendEtag = async (tag: string, also: string[]): Promise<string> =>
  `${tag.slice(0, -1)}.${(await sources.getHash(also.join('\n'))).slice(0, hashLength)}"`;

/** A list of entity tags by RFC 9110: `*`, or strong and weak tags separated by commas. */
const tagList = /^\s*(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*)\s*$/;
const parseTags = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];

/**
 * Whether the client has the response with this ETag. `*` is handled by `respond`, because it matches any existing
 * object.
 */
export const hasTag = ({ headers }: Request, tag: string): boolean =>
  parseTags(headers.get('if-none-match') ?? '').some((each) => each.replace(/^W\//, '') === tag);

const isMatchingAny = ({ headers }: Request): boolean => headers.get('if-none-match')?.trim() === '*';

const cacheHeaders = (tag: string): Record<string, string> => ({
  etag: tag,
  'cache-control': 'private, no-cache',
});

/**
 * Returns the revisions from the ETags of `If-Match`, one of which must be the head. Weak ETags match nothing. Returns
 * undefined without this header, and for `*`, which matches everything.
 *
 * @throws ApiError invalid
 */
export function readPrecondition({ precondition }: Endpoint, { headers }: Request): string[] | undefined {
  const list = precondition === undefined ? null : headers.get('if-match');
  if (list === null) return undefined;
  if (!tagList.test(list)) {
    throw invalid([{ path: 'headers.if-match', message: 'must be * or ETags in double quotes' }]);
  }
  if (list.trim() === '*') return undefined;
  return parseTags(list).flatMap((tag) => (tag.startsWith('W/') ? [] : [tag.slice(1, -1).replace(/\..*$/, '')]));
}

/** Rejects a write if the head of the branch is not one of the revisions that the client expects. */
export function requireHead(head: string, expected: string[] | undefined): void {
  if (expected === undefined || expected.includes(head)) return;
  throw preconditionFailed(`The content changed. Its current revision is ${head}. Read it again.`);
}

interface CreatedObject {
  urls?: { location?: string };
  [field: string]: unknown;
}

interface CreatedResponse {
  params: Record<string, string>;
  createdObject: CreatedObject;
  env: Settings;
}

/**
 * Returns the URL of the created object: its `urls.location`, or the endpoint's `location`, or the request's path with
 * the new id. The names in a template are path parameters and fields of the response.
 */
function getLocation({ path, location }: Endpoint, { params, createdObject, env }: CreatedResponse): string {
  if (createdObject.urls?.location !== undefined) return createdObject.urls.location;
  const filled = (location ?? `${path}/:id`).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? createdObject[name])),
  );
  return createUrls(env).page(filled);
}

export const createNotModified = (tag: string): Response =>
  new Response(null, { status: 304, headers: cacheHeaders(tag) });

interface ResponseInput {
  authorized: Authorized;
  endpoint: Endpoint;
  request: Request;
  env: Settings;
  params: Record<string, string> | undefined;
  tag: string | undefined;
  /** Whether the response for a revision never changes. */
  isLasting?: boolean;
}

/** The response of a `streamed` endpoint: JSON as UTF-8, which is forwarded chunk by chunk. */
export class StreamedJson {
  readonly body: ReadableStream<Uint8Array>;
  /** The ETag of the content. */
  readonly tag: string | undefined;

  constructor(body: ReadableStream<Uint8Array>, tag?: string) {
    this.body = body;
    this.tag = tag;
  }
}

/** Validates a streamed response against the contract, in tests only, because this buffers it. */
export async function validateStreamed({ response }: Endpoint, { body, tag }: StreamedJson): Promise<StreamedJson> {
  const bytes = await new Response(body).bytes();
  response?.parse(JSON.parse(new TextDecoder().decode(bytes)));
  return new StreamedJson(new Blob([bytes]).stream(), tag);
}

/** Builds the response for the result of an operation. */
export async function respond(
  { authorized, endpoint, request, env, params = {}, tag, isLasting = true }: ResponseInput,
  result: unknown,
): Promise<Response> {
  if (endpoint.response === undefined) return new Response(null, { status: endpoint.success });
  const isStreamed = result instanceof StreamedJson;
  if (!isStreamed && env.OCTAVO_CHECK_RESPONSES === '1') endpoint.response.parse(result);
  if (tag !== undefined && isMatchingAny(request)) return createNotModified(tag);
  const headers = new Headers(tag === undefined ? { 'cache-control': 'private, no-store' } : cacheHeaders(tag));
  if (endpoint.success === 201) {
    headers.set('location', getLocation(endpoint, { params, createdObject: result as Record<string, unknown>, env }));
  }
  const { visitor } = authorized;
  if (visitor !== undefined) setCacheTags(headers, visitor, isLasting ? params : { ...params, revisionId: undefined });
  if (!isStreamed && isSmall(result)) return Response.json(result, { status: endpoint.success, headers });
  headers.set('content-type', 'application/json');
  const body = isStreamed ? result.body : await toJsonBytes(result);
  return new Response(body, { status: endpoint.success, headers });
}

/**
 * Sets headers for the caches of published sites: the objects of the response, and how long it is valid. The content of
 * a named revision never changes.
 */
function setCacheTags(
  headers: Headers,
  { site, expires }: Visitor,
  { spaceId, revisionId }: Record<string, string | undefined>,
): void {
  const maxAge = revisionId === undefined ? 0 : Math.max(0, expires - Math.ceil(Date.now() / 1000));
  headers.set(
    'x-gitbook-cache-tag',
    [...(spaceId === undefined ? [] : [`space:${spaceId}`]), `site:${site}`].join(','),
  );
  headers.set('x-gitbook-cache-control', `max-age=${maxAge}`);
}

/** Returns functions for the absolute URLs in responses, from the configured base URL. */
export function createUrls(env: SiteUrlSettings) {
  const base = env.OCTAVO_PUBLIC_URL.replace(/\/$/, '');
  return {
    /** The URL of the object in the API; `path` starts with a slash and has no `/v1`. */
    location: (path: string): string => `${base}/v1${path}`,
    /** The object's page in the web application. */
    app: (path: string): string => `${base}/app${path}`,
    /** The URL of a page of the platform itself; `path` starts with a slash. */
    page: (path: string): string => `${base}${path}`,
    /** The URL of a location in a site, as visitors see it. */
    published: (site: SiteUrlParts, location: SiteUrlLocation = {}): string =>
      getLocationUrl(getSiteUrl(env, site), location),
    /** The URL of the site below its organization, even if it has its own host. */
    ownSite: (site: SiteUrlParts): string => getOrganizationSiteUrl(env, site),
  };
}

export type Urls = ReturnType<typeof createUrls>;

export const bookmarkHeader = 'octavo-bookmark';

/** The build of the worker that sent the response. */
export const buildHeader = 'octavo-build';

/** Whether a text has the form of a bookmark. */
export const isBookmark = (text: string): boolean => /^[0-9a-f-]{1,128}$/i.test(text);

/** Returns the bookmark of a request. @throws ApiError invalid */
export function readBookmark(headers: Headers): string | undefined {
  const bookmark = headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!isBookmark(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'must be a bookmark from a response' }]);
  return bookmark;
}

const costMetrics = {
  trips: 'd1-trips',
  sequentialTrips: 'd1-sequential-trips',
  rowsRead: 'd1-rows-read',
  rowsWritten: 'd1-rows-written',
} as const;

/** Returns the cost that a response reports. Missing values are zero. */
export function readCost(headers: Headers): Cost {
  const cost = createCost();
  const timing = headers.get('server-timing') ?? '';
  for (const [field, name] of Object.entries(costMetrics) as [keyof typeof costMetrics, string][])
    cost[field] = Number(new RegExp(`(?:^|, )${name};desc="(\\d+)"`).exec(timing)?.[1] ?? 0);
  return cost;
}

/** In tests: a request that sends the server's key in this header receives row counts that are otherwise hidden. */
export const testKeyHeader = 'octavo-test-key';

/** Whether a request of a test receives the row counts that other responses hide. */
export const isMeasured = (
  { headers }: Request,
  { OCTAVO_TEST_KEY: key }: Pick<Environment, 'OCTAVO_TEST_KEY'>,
): boolean => key !== undefined && key !== '' && headers.get(testKeyHeader) === key;

/** A 404 has no row counts, because they would reveal that a hidden object exists. */
export function formatServerTiming({ trips, sequentialTrips, rowsRead, rowsWritten }: Cost, isHidden: boolean): string {
  const calls = `d1-trips;desc="${trips}", d1-sequential-trips;desc="${sequentialTrips}"`;
  return isHidden ? calls : `${calls}, d1-rows-read;desc="${rowsRead}", d1-rows-written;desc="${rowsWritten}"`;
}

/** An operation whose response depends only on the build and its settings, without a database and a caller. */
export type Constant<E extends Endpoint, Env> = (env: Env) => ResponseOf<E>;

export type Constants<C extends Contract, Env> = { [Name in keyof C]: Constant<C[Name], Env> };

const noCost = formatServerTiming(createCost(), false);

interface ConstantRequest {
  endpoint: Endpoint;
  request: Request;
  env: Settings;
  requestId: string;
}

/** Builds the response of a constant operation, with the same headers as an operation that makes no queries. */
export async function respondConstant(
  { endpoint, request, env, requestId }: ConstantRequest,
  result: unknown,
): Promise<Response> {
  try {
    const bookmark = readBookmark(request.headers);
    const response = await respond({ endpoint, authorized: {}, request, env, params: {}, tag: undefined }, result);
    response.headers.set('server-timing', noCost);
    if (bookmark !== undefined) response.headers.set(bookmarkHeader, bookmark);
    return response;
  } catch (error) {
    return createErrorResponse(error, requestId);
  }
}

let bufferLine: ((line: string) => void) | undefined;

/** Makes `log` pass lines below the level `error` to `write`, which can write many lines at once. */
export function bufferLog(write: (line: string) => void): void {
  bufferLine = write;
}

/** Writes one structured line. Never pass tokens, keys or documents. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === 'error') console.error(line);
  else if (bufferLine === undefined) console.log(line);
  else bufferLine(line);
}

/** Returns the chain of causes as text, without the statements and parameters that drizzle adds to its messages. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error; each instanceof Error && parts.length < 5; each = each.cause) {
    parts.push(
      each.message.startsWith('Failed query') ? 'failed query' : `${each.name}: ${each.message.slice(0, 500)}`,
    );
  }
  return parts.length > 0 ? parts.join(' < ') : String(error).slice(0, 500);
}

/** The errors that every endpoint can return, even if its contract does not list them. */
const commonErrors: ReadonlySet<ErrorType> = new Set<ErrorType>([
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'unknown_method',
  'internal',
  'unavailable',
  'storage_full',
]);

export const isDeclaredError = (type: ErrorType, declared: readonly ErrorType[] = []): boolean =>
  commonErrors.has(type) || declared.includes(type);

/** Returns the error that a response reports for any thrown value. */
export function toApiError(error: unknown): ApiError {
  if (isApiError(error)) return error;
  const internal = 'The server failed to handle the request. Try again later.';
  return findStorageFull(error) ?? findUnavailable(error, 'write') ?? new ApiError('internal', internal);
}

/** Converts any thrown value to a response. Unexpected errors are logged, and their response reveals no details. */
export function createErrorResponse(error: unknown, requestId: string): Response {
  const apiError = toApiError(error);
  if (apiError.type === 'internal')
    log('error', 'unexpected error', { requestId, cause: describeError(error), stack: getStack(error) });
  if (apiError.type === 'unavailable' && apiError.cause !== undefined)
    log('warn', 'temporarily unavailable', { requestId, cause: describeError(apiError.cause) });
  const code = errorStatus[apiError.type];
  const body = {
    code,
    message: apiError.message,
    type: apiError.type,
    requestId,
    ...(apiError.issues === undefined ? {} : { issues: apiError.issues }),
    ...(apiError.conflicts === undefined ? {} : { conflicts: apiError.conflicts }),
  };
  return Response.json({ error: body }, { status: code, headers: getErrorHeaders(apiError) });
}

/** Returns the headers that an error adds to its response. */
export function getErrorHeaders({ type, retryAfter, allow }: ApiError): Record<string, string> {
  if (type === 'unauthenticated') return { 'www-authenticate': 'Bearer' };
  if (allow !== undefined) return { allow: allow.join(', ') };
  return retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {};
}

const getStack = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack?.split('\n').slice(1, 6).join(' | ').slice(0, 800) : undefined;

/**
 * Limits of reading the rest of a rejected body. A client whose connection is closed while it sends may never receive
 * the response, so the rest of the body is read and dropped. The limits allow the bytes that an honest client has
 * already sent, but a slow client must not delay the response.
 */
const maxDrainedBytes = 32 * 1024 * 1024;
const maxDrainMilliseconds = 2000;

/** Reads and drops the rest of a body, so that the client receives the response instead of a broken connection. */
export async function discardBody(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  if (Number(request.headers.get('content-length') ?? 0) > maxDrainedBytes) return;
  await drain(request.body.getReader());
}

export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** Ends at a limit or when the body breaks off. Neither is an error, because the response is already determined. */
export async function drain(reader: BodyReader): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, maxDrainMilliseconds);
  await Promise.race([dropBytes(reader), timeout.promise]).catch(() => undefined);
  clearTimeout(timer);
  await reader.cancel().catch(() => undefined);
}

async function dropBytes(reader: BodyReader): Promise<void> {
  let remaining = maxDrainedBytes;
  for (let chunk = await reader.read(); !chunk.done && remaining > 0; chunk = await reader.read())
    remaining -= chunk.value.length;
}
