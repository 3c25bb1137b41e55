import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  type Contract,
  type Endpoint,
  type ErrorType,
  errorStatus,
  type Issue,
  type List,
  type MergeConflict,
  type ResponseOf,
} from '@octavo/schema';
import type * as z from 'zod';

interface Parameters {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
}

/** Builds a URL from a path template and its parameters. A `:name+` parameter keeps its slashes. */
function getAddress(base: string, template: string, { params = {}, query = {} }: Parameters): string {
  const path = template.replace(/:(\w+)(\+?)/g, (_, name: string, many: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`The parameter ${name} is missing.`);
    return many ? String(value).split('/').map(encodeSegment).join('/') : encodeSegment(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  }
  return `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}${path}${search.size > 0 ? `?${search}` : ''}`;
}

// The URL parser resolves `.` and `..` even if they are percent-encoded, so they cannot be sent as path parameters.
function encodeSegment(segment: string): string {
  if (segment === '.' || segment === '..') throw new TypeError(`A path parameter must not be ${segment}.`);
  return encodeURIComponent(segment);
}

interface WireError {
  message?: string;
  type?: string;
  requestId?: string;
  issues?: Issue[];
  conflicts?: MergeConflict[];
}

/** Returns the value of a response. @throws ApiError if the response is an error */
export function getResponseValue({ response, text }: TextResponse): unknown {
  if (!response.ok) throw getError(response, parseErrorResponse(text));
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new Error(`The response of ${response.url} is not JSON. Check that the URL is that of an Octavo server.`);
  }
}

function parseErrorResponse(text: string): WireError {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    return {};
  }
}

function getError(response: Response, error: WireError): ApiError & { requestId?: string } {
  const message = error.message ?? `The server returned the status ${response.status}.`;
  const requestId = error.requestId ?? response.headers.get('x-request-id') ?? undefined;
  const thrown = new ApiError(getErrorType(error.type, response.status), message, error.issues);
  thrown.conflicts = error.conflicts;
  return Object.assign(thrown, requestId !== undefined && { requestId });
}

function getErrorType(type: string | undefined, status: number): ErrorType {
  const knownTypes = Object.keys(errorStatus) as ErrorType[];
  return (
    knownTypes.find((key) => key === type) ??
    knownTypes.find((key) => errorStatus[key] === status) ??
    getErrorClass(status)
  );
}

const getErrorClass = (status: number): ErrorType => (status < 500 ? 'invalid' : 'internal');

interface Retrying {
  fetch?: typeof fetch;
  /** Maximum number of attempts; 6 by default. */
  attempts?: number;
  /** Maximum wait between two attempts, in milliseconds. The default is one minute. */
  maxWaitMs?: number;
}

/** A response with its complete body. */
export interface TextResponse {
  response: Response;
  text: string;
}

const firstWaitMs = 200;

/**
 * Retries a request after 429 with `Retry-After`. Reads are also retried after a network error, 502 or 503. Writes are
 * not, because they may have succeeded although the response was lost.
 */
async function fetchWithRetries(url: string, init: RequestInit, options: Retrying): Promise<TextResponse> {
  const { fetch: send = fetch, attempts = 6, maxWaitMs = 60_000 } = options;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt >= attempts;
    const backOffMs = Math.min(firstWaitMs * 2 ** (attempt - 1), maxWaitMs);
    let waitMs: number | undefined;
    try {
      const response = await send(url, init);
      const text = await response.text();
      waitMs = getRetryWait(response, init.method === 'GET', backOffMs);
      if (last || waitMs === undefined || waitMs > maxWaitMs) return { response, text };
    } catch (error) {
      if (last || init.method !== 'GET') throw error;
      waitMs = backOffMs;
    }
    await sleep(waitMs);
  }
}

function getRetryWait(response: Response, reads: boolean, backOffMs: number): number | undefined {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  }
  return reads && (response.status === 502 || response.status === 503) ? backOffMs : undefined;
}

type Part<Name extends string, Schema> = Schema extends z.ZodType
  ? undefined extends z.input<Schema>
    ? { [Key in Name]?: z.input<Schema> }
    : Record<never, never> extends z.input<Schema>
      ? { [Key in Name]?: z.input<Schema> }
      : { [Key in Name]: z.input<Schema> }
  : Record<never, never>;

/** The input of an operation: its path parameters, query and body. */
type Input<E extends Endpoint> = Part<'params', E['params']> & Part<'query', E['query']> & Part<'body', E['body']>;

type Operation<E extends Endpoint> =
  Record<never, never> extends Input<E>
    ? (input?: Input<E>) => Promise<ResponseOf<E>>
    : (input: Input<E>) => Promise<ResponseOf<E>>;

/** A client with one method for each operation of the contract. */
export type Client<C extends Contract> = { [Key in keyof C]: Operation<C[Key]> };

export interface Options extends Retrying {
  /** URL of the server, with or without `/v1`. */
  url: string;
  token?: string | undefined;
  userAgent?: string;
}

interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Creates a typed client for a contract. It reads its own writes: the bookmark of each response is sent with the next
 * request.
 */
export function createContractClient<const C extends Contract>(contract: C, options: Options): Client<C> {
  if (!options.url) throw new TypeError('The option url is missing: the URL of the server.');
  let bookmark: string | null = null;

  async function call(endpoint: Endpoint, { params, query, body }: Parts = {}): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json' });
    if (options.token) headers.set('authorization', `Bearer ${options.token}`);
    if (options.userAgent) headers.set('user-agent', options.userAgent);
    if (bookmark) headers.set('octavo-bookmark', bookmark);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const url = getAddress(options.url, endpoint.path, { params, query });
    const init = { method: endpoint.method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetchWithRetries(url, init, options);
    bookmark = response.response.headers.get('octavo-bookmark') ?? bookmark;
    return getResponseValue(response);
  }

  const operations = Object.entries(contract).map(([id, endpoint]) => [id, (input?: Parts) => call(endpoint, input)]);
  return Object.fromEntries(operations);
}

/** Yields every item of a list, page by page. `fn` receives the cursor of the page, or undefined for the first page. */
export async function* paginate<Item>(fn: (page: string | undefined) => Promise<List<Item>>): AsyncGenerator<Item> {
  let page: string | undefined;
  do {
    const list = await fn(page);
    yield* list.items;
    page = list.next?.page;
  } while (page !== undefined);
}
