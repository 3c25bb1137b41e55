import type { Contract, Cost, Endpoint, ErrorType, ResponseOf, Visitor } from '@octavo/schema';
import { ApiError, errorStatus, invalid, isApiError } from '@octavo/schema';
import type { Settings } from './environment.ts';
import type { Authorized } from './find-object.ts';
import { HashCache } from './secrets.ts';
import type { AddressedSite, SiteAddressSettings, SitePlace } from './site-address.ts';
import { ownSiteAddress, placeAddress, siteAddress } from './site-address.ts';

/** What the tags of 1,000 addresses follow from; the longer ones are hashed each time. */
const sources = new HashCache(1000, 300);

/** Characters of the hash that stands after the revision in a tag. */
const hashLength = 16;

/**
 * The ETag of what follows from a revision: its id, and a hash of all else that the bytes follow from, which are the
 * address, the software, and the claims of a visitor. A tag of another address is not this one's, so what is not there is never "not modified".
 */
export async function createEtag(
  { cache }: Endpoint,
  { point, visitor }: Authorized,
  { url, env }: { url: URL; env: Settings },
): Promise<string | undefined> {
  if (cache === undefined || point === undefined) return undefined;
  const { pathname, search } = url;
  const source = [env.OCTAVO_BUILD ?? '', env.OCTAVO_PUBLIC_URL, `${pathname}${search}`, visitor?.key ?? ''].join('\n');
  const hash = await sources.of(source);
  return `"${point.id}.${hash.slice(0, hashLength)}"`;
}

/** The ETag of what follows from more than its revision. Without the rest it names nothing: who has that has another revision. */
export const extendEtag = async (tag: string, also: string[]): Promise<string> =>
  `${tag.slice(0, -1)}.${(await sources.of(also.join('\n'))).slice(0, hashLength)}"`;

/** A list of tags, as RFC 9110 has it: `*`, or strong and weak tags between commas. */
const tagList = /^\s*(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*)\s*$/;
const parseTags = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Whether the client holds what the tag stands for. `*` asks whether there is anything, which only reading tells. */
export const hasTag = ({ headers }: Request, tag: string): boolean =>
  parseTags(headers.get('if-none-match') ?? '').some((each) => each.replace(/^W\//, '') === tag);

const matchesAny = ({ headers }: Request): boolean => headers.get('if-none-match')?.trim() === '*';

const cacheHeaders = (tag: string): Record<string, string> => ({
  etag: tag,
  'cache-control': 'private, no-cache',
});

/**
 * The revisions of which one must be the head, by If-Match: those that the tags of reads name. Weak tags match nothing,
 * and `*` everything.
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

interface CreatedObject {
  urls?: { location?: string };
  [field: string]: unknown;
}

interface CreatedResponse {
  params: Record<string, string>;
  made: CreatedObject;
  env: Settings;
}

/**
 * The address of what a request made: its `urls.location`, else the endpoint's `location`, else its path with the new id.
 * The names in a template are parameters of the path and fields of the answer.
 */
function getLocation({ path, location }: Endpoint, { params, made, env }: CreatedResponse): string {
  if (made.urls?.location !== undefined) return made.urls.location;
  const filled = (location ?? `${path}/:id`).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? made[name])),
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
  /** Whether what follows from a revision stays as it is. */
  isLasting?: boolean;
}

/** An answer of an endpoint that is `streamed`: JSON as UTF-8, which is passed on piece by piece. */
export class StreamedJson {
  readonly body: ReadableStream<Uint8Array>;
  /** An ETag of what it holds. */
  readonly tag: string | undefined;

  constructor(body: ReadableStream<Uint8Array>, tag?: string) {
    this.body = body;
    this.tag = tag;
  }
}

/** In tests, whether it is what the contract says, which takes all of it. */
export async function validateStreamed({ response }: Endpoint, { body, tag }: StreamedJson): Promise<StreamedJson> {
  const bytes = await new Response(body).bytes();
  response?.parse(JSON.parse(new TextDecoder().decode(bytes)));
  return new StreamedJson(new Blob([bytes]).stream(), tag);
}

/** Answers with what an operation gave. */
export function respond(
  { authorized, endpoint, request, env, params = {}, tag, isLasting = true }: ResponseInput,
  result: unknown,
): Response {
  if (endpoint.response === undefined) return new Response(null, { status: endpoint.success });
  const isStreamed = result instanceof StreamedJson;
  if (!isStreamed && env.OCTAVO_CHECK_RESPONSES === '1') endpoint.response.parse(result);
  if (tag !== undefined && matchesAny(request)) return createNotModified(tag);
  const headers = new Headers(tag === undefined ? { 'cache-control': 'private, no-store' } : cacheHeaders(tag));
  if (endpoint.success === 201) {
    headers.set('location', getLocation(endpoint, { params, made: result as Record<string, unknown>, env }));
  }
  const { visitor } = authorized;
  if (visitor !== undefined) setCacheTags(headers, visitor, isLasting ? params : { ...params, revisionId: undefined });
  if (!isStreamed) return Response.json(result, { status: endpoint.success, headers });
  headers.set('content-type', 'application/json');
  return new Response(result.body, { status: endpoint.success, headers });
}

/** What clients of published sites go by: what an answer is of, and how long it holds. A revision's never changes. */
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

/** The absolute URLs that answers carry, from the configured base. */
export function createUrls(env: SiteAddressSettings) {
  const base = env.OCTAVO_PUBLIC_URL.replace(/\/$/, '');
  return {
    /** The object's address in the API; `path` starts with a slash and has no `/v1`. */
    location: (path: string): string => `${base}/v1${path}`,
    /** The object's page in the web application. */
    app: (path: string): string => `${base}/app${path}`,
    /** A page of the platform itself; `path` starts with a slash. */
    page: (path: string): string => `${base}${path}`,
    /** A place in a site, as visitors reach it. */
    published: (site: AddressedSite, place: SitePlace = {}): string => placeAddress(siteAddress(env, site), place),
    /** The site at its organization's, wherever else it is too. */
    ownSite: (site: AddressedSite): string => ownSiteAddress(env, site),
  };
}

export type Urls = ReturnType<typeof createUrls>;

export const bookmarkHeader = 'octavo-bookmark';

/** The bookmark that a request was sent with. @throws ApiError invalid */
export function readBookmark(headers: Headers): string | undefined {
  const bookmark = headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!/^[0-9a-f-]{1,128}$/i.test(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'must be a bookmark from a response' }]);
  return bookmark;
}

const costMetrics = { trips: 'd1-trips', rowsRead: 'd1-rows-read', rowsWritten: 'd1-rows-written' } as const;

/** Adds what an answer says that it cost to what others did; what it does not tell counts as nothing. */
export function addCost(cost: Cost, headers: Headers): void {
  const timing = headers.get('server-timing') ?? '';
  for (const [field, name] of Object.entries(costMetrics) as [keyof typeof costMetrics, string][])
    cost[field] += Number(new RegExp(`(?:^|, )${name};desc="(\\d+)"`).exec(timing)?.[1] ?? 0);
}

/** In tests: who sends this with the server's key is told counts that others are not. */
export const testKeyHeader = 'octavo-test-key';

/** A 404 has no counts of rows: they would tell a stranger that what is hidden exists. */
export function serverTiming({ trips, rowsRead, rowsWritten }: Cost, isHidden: boolean): string {
  const calls = `d1-trips;desc="${trips}"`;
  return isHidden ? calls : `${calls}, d1-rows-read;desc="${rowsRead}", d1-rows-written;desc="${rowsWritten}"`;
}

/** An operation whose answer follows from the software and its settings alone: it needs no database and no caller. */
export type Constant<E extends Endpoint, Env> = (env: Env) => ResponseOf<E>;

export type Constants<C extends Contract, Env> = { [Name in keyof C]: Constant<C[Name], Env> };

const noCost = serverTiming({ trips: 0, rowsRead: 0, rowsWritten: 0 }, false);

interface ConstantRequest {
  endpoint: Endpoint;
  request: Request;
  env: Settings;
  requestId: string;
}

/** Answers as an operation with a database does that asks it nothing. */
export function respondConstant({ endpoint, request, env, requestId }: ConstantRequest, result: unknown): Response {
  try {
    const bookmark = readBookmark(request.headers);
    const response = respond({ endpoint, authorized: {}, request, env, params: {}, tag: undefined }, result);
    response.headers.set('server-timing', noCost);
    if (bookmark !== undefined) response.headers.set(bookmarkHeader, bookmark);
    return response;
  } catch (error) {
    return errorResponse(error, requestId);
  }
}

let bufferLine: ((line: string) => void) | undefined;

/** Has lines of the log that tell of no error gathered, by whoever writes many at once, instead of written one by one. */
export function bufferLog(into: (line: string) => void): void {
  bufferLine = into;
}

/** Writes one structured line. Never pass tokens, keys or documents. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === 'error') console.error(line);
  else if (bufferLine === undefined) console.log(line);
  else bufferLine(line);
}

/** The chain of causes as text, without the statements and parameters that the database layer puts in its messages. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error; each instanceof Error && parts.length < 5; each = each.cause) {
    parts.push(
      each.message.startsWith('Failed query') ? 'failed query' : `${each.name}: ${each.message.slice(0, 500)}`,
    );
  }
  return parts.length > 0 ? parts.join(' < ') : String(error).slice(0, 500);
}

/** The errors that any endpoint may answer, whatever its contract lists. */
const commonErrors: ReadonlySet<ErrorType> = new Set<ErrorType>([
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'unknown_method',
  'internal',
  'unavailable',
]);

export const isDeclaredError = (type: ErrorType, declared: readonly ErrorType[] = []): boolean =>
  commonErrors.has(type) || declared.includes(type);

/** The one place that turns anything thrown into a response. What is not ours to tell is logged, and answered fixed. */
export function errorResponse(error: unknown, requestId: string): Response {
  const apiError = isApiError(error)
    ? error
    : new ApiError('internal', 'The server failed to handle the request. Try again later.');
  if (apiError !== error)
    log('error', 'unexpected error', { requestId, cause: describeError(error), stack: getStack(error) });
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

function getErrorHeaders({ type, retryAfter }: ApiError): Record<string, string> {
  if (type === 'unauthenticated') return { 'www-authenticate': 'Bearer' };
  return retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {};
}

const getStack = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack?.split('\n').slice(1, 6).join(' | ').slice(0, 800) : undefined;
