import type { Contract, Cost, Endpoint, ErrorType, ResponseOf, Visitor } from '@octavo/schema';
import { ApiError, errorStatus, invalid, isApiError } from '@octavo/schema';
import type { Settings } from './environment.ts';
import type { Authorized } from './find-object.ts';
import { Hashes } from './secrets.ts';
import type { AddressedSite, SiteAddressSettings, SitePlace } from './site-address.ts';
import { ownSiteAddress, placeAddress, siteAddress } from './site-address.ts';

/** What the tags of 1,000 addresses follow from; the longer ones are hashed each time. */
const sources = new Hashes(1000, 300);

/** Characters of the hash that stands after the revision in a tag. */
const hashLength = 16;

/**
 * The ETag of what follows from a revision: its id, and a hash of all else that the bytes follow from, which are the
 * address, the software, and the claims of a visitor. A tag of another address is not this one's, so what is not there is never "not modified".
 */
export async function tagOf(
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
export const tagWith = async (tag: string, also: string[]): Promise<string> =>
  `${tag.slice(0, -1)}.${(await sources.of(also.join('\n'))).slice(0, hashLength)}"`;

/** A list of tags, as RFC 9110 has it: `*`, or strong and weak tags between commas. */
const tagList = /^\s*(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*)\s*$/;
const tags = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Whether the client holds what the tag stands for. `*` asks whether there is anything, which only reading tells. */
export const hasTag = ({ headers }: Request, tag: string): boolean =>
  tags(headers.get('if-none-match') ?? '').some((each) => each.replace(/^W\//, '') === tag);

const asksForAny = ({ headers }: Request): boolean => headers.get('if-none-match')?.trim() === '*';

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
  return tags(list).flatMap((tag) => (tag.startsWith('W/') ? [] : [tag.slice(1, -1).replace(/\..*$/, '')]));
}

interface Made {
  urls?: { location?: string };
  [field: string]: unknown;
}

interface Answered {
  params: Record<string, string>;
  made: Made;
  env: Settings;
}

/**
 * The address of what a request made: its `urls.location`, else the endpoint's `location`, else its path with the new id.
 * The names in a template are parameters of the path and fields of the answer.
 */
function locationOf({ path, location }: Endpoint, { params, made, env }: Answered): string {
  if (made.urls?.location !== undefined) return made.urls.location;
  const filled = (location ?? `${path}/:id`).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? made[name])),
  );
  return urlsOf(env).page(filled);
}

export const notModified = (tag: string): Response => new Response(null, { status: 304, headers: cacheHeaders(tag) });

interface Asked {
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
export async function checkStreamed({ response }: Endpoint, { body, tag }: StreamedJson): Promise<StreamedJson> {
  const bytes = await new Response(body).bytes();
  response?.parse(JSON.parse(new TextDecoder().decode(bytes)));
  return new StreamedJson(new Blob([bytes]).stream(), tag);
}

/** Answers with what an operation gave. */
export function respond(
  { authorized, endpoint, request, env, params = {}, tag, isLasting = true }: Asked,
  result: unknown,
): Response {
  if (endpoint.response === undefined) return new Response(null, { status: endpoint.success });
  const isStreamed = result instanceof StreamedJson;
  if (!isStreamed && env.OCTAVO_CHECK_RESPONSES === '1') endpoint.response.parse(result);
  if (tag !== undefined && asksForAny(request)) return notModified(tag);
  const headers = new Headers(tag === undefined ? { 'cache-control': 'private, no-store' } : cacheHeaders(tag));
  if (endpoint.success === 201) {
    headers.set('location', locationOf(endpoint, { params, made: result as Record<string, unknown>, env }));
  }
  const { visitor } = authorized;
  if (visitor !== undefined) tellCaches(headers, visitor, isLasting ? params : { ...params, revisionId: undefined });
  if (!isStreamed) return Response.json(result, { status: endpoint.success, headers });
  headers.set('content-type', 'application/json');
  return new Response(result.body, { status: endpoint.success, headers });
}

/** What clients of published sites go by: what an answer is of, and how long it holds. A revision's never changes. */
function tellCaches(
  headers: Headers,
  { site, expires }: Visitor,
  { spaceId, revisionId }: Record<string, string | undefined>,
): void {
  const left = revisionId === undefined ? 0 : Math.max(0, expires - Math.ceil(Date.now() / 1000));
  headers.set(
    'x-gitbook-cache-tag',
    [...(spaceId === undefined ? [] : [`space:${spaceId}`]), `site:${site}`].join(','),
  );
  headers.set('x-gitbook-cache-control', `max-age=${left}`);
}

/** The absolute URLs that answers carry, from the configured base. */
export function urlsOf(env: SiteAddressSettings) {
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

export type Urls = ReturnType<typeof urlsOf>;

export const bookmarkHeader = 'octavo-bookmark';

/** The bookmark that a request was sent with. @throws ApiError invalid */
export function bookmarkOf(headers: Headers): string | undefined {
  const bookmark = headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!/^[0-9a-f-]{1,128}$/i.test(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'must be a bookmark from a response' }]);
  return bookmark;
}

const counts = { trips: 'd1-trips', rowsRead: 'd1-rows-read', rowsWritten: 'd1-rows-written' } as const;

/** Adds what an answer says that it cost to what others did; what it does not tell counts as nothing. */
export function addCost(cost: Cost, headers: Headers): void {
  const told = headers.get('server-timing') ?? '';
  for (const [field, name] of Object.entries(counts) as [keyof typeof counts, string][])
    cost[field] += Number(new RegExp(`(?:^|, )${name};desc="(\\d+)"`).exec(told)?.[1] ?? 0);
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
export function answerConstant({ endpoint, request, env, requestId }: ConstantRequest, result: unknown): Response {
  try {
    const bookmark = bookmarkOf(request.headers);
    const response = respond({ endpoint, authorized: {}, request, env, params: {}, tag: undefined }, result);
    response.headers.set('server-timing', noCost);
    if (bookmark !== undefined) response.headers.set(bookmarkHeader, bookmark);
    return response;
  } catch (error) {
    return errorResponse(error, requestId);
  }
}

let gather: ((line: string) => void) | undefined;

/** Has lines of the log that tell of no error gathered, by whoever writes many at once, instead of written one by one. */
export function gatherLog(into: (line: string) => void): void {
  gather = into;
}

/** Writes one structured line. Never pass tokens, keys or documents. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === 'error') console.error(line);
  else if (gather === undefined) console.log(line);
  else gather(line);
}

/** The chain of causes as text, without the statements and parameters that the database layer puts in its messages. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error; each instanceof Error && parts.length < 5; each = each.cause) {
    parts.push(
      each.message.startsWith('Failed query') ? 'failed query' : `${each.name}: ${each.message.slice(0, 500)}`,
    );
  }
  return parts.length > 0 ? parts.join(' < ') : String(error).slice(0, 500);
}

/** The errors that any endpoint may answer, whatever its contract lists. */
const common: ReadonlySet<ErrorType> = new Set<ErrorType>([
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

export const mayAnswer = (type: ErrorType, declared: readonly ErrorType[] = []): boolean =>
  common.has(type) || declared.includes(type);

/** The one place that turns anything thrown into a response. What is not ours to tell is logged, and answered fixed. */
export function errorResponse(error: unknown, requestId: string): Response {
  const known = isApiError(error)
    ? error
    : new ApiError('internal', 'The server failed to handle the request. Try again later.');
  if (known !== error) log('error', 'unexpected error', { requestId, cause: describe(error), stack: stackOf(error) });
  const code = errorStatus[known.type];
  const body = {
    code,
    message: known.message,
    type: known.type,
    requestId,
    ...(known.issues === undefined ? {} : { issues: known.issues }),
    ...(known.conflicts === undefined ? {} : { conflicts: known.conflicts }),
  };
  return Response.json({ error: body }, { status: code, headers: headersOf(known) });
}

function headersOf({ type, retryAfter }: ApiError): Record<string, string> {
  if (type === 'unauthenticated') return { 'www-authenticate': 'Bearer' };
  return retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {};
}

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack?.split('\n').slice(1, 6).join(' | ').slice(0, 800) : undefined;
