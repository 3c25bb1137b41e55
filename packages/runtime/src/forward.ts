import type { UserId } from '@octavo/schema';
import { IttyRouter } from 'itty-router/IttyRouter';
import { log } from './respond.ts';

/** Identifies the request in logs and responses. */
export const requestIdHeader = 'octavo-request-id';
/** The client's address as the gateway determined it. */
const clientAddressHeader = 'octavo-client-address';
/** The id of the user a response is for. The gateway removes it. */
const callerHeader = 'octavo-caller';
/** Marks a request for a page of a site. */
const siteHeader = 'octavo-site';
/** The operation that the gateway matched, with its parameters, as JSON. */
const operationHeader = 'octavo-operation';

/** An operation of the API with the encoded parameters of the path. */
interface MatchedOperation {
  name: string;
  params: Record<string, string>;
}

/** The results of the gateway for a request that it forwards. */
interface GatewayContext {
  requestId: string;
  /** The client's address, if it is known. */
  address: string | undefined;
  /** Whether the request is for a page of a site and not for the API. */
  isOfSite?: boolean;
  /** The operation that the gateway matched. Without it the worker matches the path itself. */
  operation?: MatchedOperation | undefined;
  /** The parsed URL of the request. Set only if gateway and worker share an isolate. */
  url?: URL | undefined;
}

/** A worker that runs in the isolate of the gateway, which calls it without copying requests and responses. */
export abstract class InProcessWorker {
  abstract fetch(request: Request): Promise<Response> | Response;
}

const contexts = new WeakMap<Request, GatewayContext>();

/**
 * Forwards a request to a worker. A response from another isolate is copied, so that the caller can change its headers.
 */
export async function forward(
  request: Request,
  worker: { fetch(request: Request): Promise<Response> } | InProcessWorker,
  context: GatewayContext,
): Promise<Response> {
  if (worker instanceof InProcessWorker) {
    contexts.set(request, context);
    return worker.fetch(request);
  }
  const forwarded = new Request(request);
  // Headers with these names are replaced or removed, because the client could have sent them.
  const setHeader = (name: string, value: string | undefined) =>
    value === undefined ? forwarded.headers.delete(name) : forwarded.headers.set(name, value);
  setHeader(requestIdHeader, context.requestId);
  setHeader(clientAddressHeader, context.address);
  setHeader(siteHeader, context.isOfSite === true ? '1' : undefined);
  setHeader(operationHeader, context.operation && JSON.stringify(context.operation));
  const response = await worker.fetch(forwarded);
  // A WebSocket is not copied with the response. The types of Node.js don't know it.
  const { status, headers, webSocket } = response as Response & { webSocket?: unknown };
  return webSocket == null
    ? new Response(response.body, response)
    : new Response(null, { status, headers, webSocket } as ResponseInit);
}

/**
 * Reads the context of a forwarded request. Within one isolate it is not read from headers, which a client could send.
 */
export const readGatewayContext = (request: Request): GatewayContext =>
  contexts.get(request) ?? {
    requestId: request.headers.get(requestIdHeader) ?? '',
    address: request.headers.get(clientAddressHeader) ?? undefined,
    isOfSite: request.headers.get(siteHeader) === '1',
    operation: parseOperation(request.headers.get(operationHeader)),
  };

const parseOperation = (text: string | null): MatchedOperation | undefined =>
  text === null ? undefined : (JSON.parse(text) as MatchedOperation);

/**
 * Reports to the gateway which user the response is for. Within one isolate, a `WeakMap` could store this too, but V8
 * frees a response that was a key of a `WeakMap`, and its body, only in a full garbage collection.
 */
export const setCallerHeader = (response: Response, caller: UserId): void => response.headers.set(callerHeader, caller);

/** Returns the user of the response, if a worker reported it, and removes the header. */
export function removeCallerHeader(response: Response): UserId | undefined {
  const caller = response.headers.get(callerHeader);
  if (caller !== null) response.headers.delete(callerHeader);
  return caller ?? undefined;
}

/** A method and path pattern with the target they route to. */
export interface Route<Target> {
  /** The method; `ALL` matches any method. */
  method: string;
  /**
   * The path pattern in itty-router's syntax: `:name` matches one segment, a trailing `:name+` one or more segments,
   * and a trailing `/*` any path below.
   */
  path: string;
  target: Target;
}

export interface RouteMatch<Target> {
  target: Target;
  /** The parameters of the path, still URL-encoded. */
  params: Record<string, string>;
}

type CompiledRoute<Target> = Route<Target> & { pattern: RegExp; segments: string[] };

/** The positions of the segments that distinguish most routes, such as `/v1/spaces/:spaceId/content`. */
const indexedPositions = [2, 4];
/** Whether a segment of a route matches only the same text. */
const isLiteral = (segment: string): boolean => /^[\w~-]+$/.test(segment);
/** Whether a segment of a route can match several segments of a path. */
const isMultiple = (segment: string): boolean => /[+*]/.test(segment);

const getIndexedSegments = (segments: string[]): string[] =>
  indexedPositions.map((position) => segments[position] ?? '');

/**
 * Finds the first route that matches a method and a path. itty-router compiles the routes. Its own `fetch` is not used:
 * it parses the URL again, writes into the request, and cannot be called synchronously.
 */
export class RouteMatcher<Target> {
  readonly #routes: CompiledRoute<Target>[];
  /**
   * `#literals` contains the literal segments of routes at the indexed positions. `#candidates` caches, by the literal
   * segments of a path at these positions, the routes that can match the path.
   */
  readonly #literals: Set<string>;
  readonly #candidates = new Map<string, CompiledRoute<Target>[]>();
  readonly #trailingSlash: 'ignored' | 'refused';

  constructor(routes: readonly Route<Target>[], { trailingSlash }: { trailingSlash: 'ignored' | 'refused' }) {
    this.#trailingSlash = trailingSlash;
    this.#routes = routes.flatMap((route) =>
      IttyRouter()
        .all(route.path)
        .routes.map(([, pattern]) => ({ ...route, pattern, segments: route.path.split('/') })),
    );
    this.#literals = new Set(this.#routes.flatMap(({ segments }) => getIndexedSegments(segments).filter(isLiteral)));
  }

  match(method: string, pathname: string): RouteMatch<Target> | undefined {
    for (const route of this.#getCandidates(pathname)) {
      if (route.method !== method && route.method !== 'ALL') continue;
      const result = route.pattern.exec(pathname);
      if (result !== null && this.#acceptsTrailingSlash(route, pathname))
        return { target: route.target, params: { ...result.groups } };
    }
    return undefined;
  }

  #getCandidates(pathname: string): CompiledRoute<Target>[] {
    const literals = getIndexedSegments(pathname.split('/')).map((segment) =>
      this.#literals.has(segment) ? segment : '',
    );
    const key = literals.join('/');
    let candidates = this.#candidates.get(key);
    if (candidates === undefined) {
      candidates = this.#routes.filter(({ segments }) =>
        indexedPositions.every(
          (position, index) =>
            !isLiteral(segments[position] ?? '') ||
            segments[position] === literals[index] ||
            segments.slice(0, position).some(isMultiple),
        ),
      );
      this.#candidates.set(key, candidates);
    }
    return candidates;
  }

  /**
   * Whether a route accepts the trailing slashes of a path. itty-router ignores any number of them. It also matches a
   * route such as `/files/*` to the path `/files`, which this function rejects.
   */
  #acceptsTrailingSlash({ path }: Route<Target>, pathname: string): boolean {
    if (path.endsWith('/*')) return pathname.length >= path.length - 1;
    if (path.endsWith('+') || !pathname.endsWith('/')) return true;
    return this.#trailingSlash === 'refused' ? pathname === path : !pathname.endsWith('//');
  }
}

/** IPv4 and IPv6 addresses, also with the port that some proxies append. */
const addressPattern =
  /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?|\[([0-9a-f.:]{2,45})\](?::\d{1,5})?|([0-9a-f.:]{2,45}))$/i;
/** The key for clients whose address the proxy sends in an unsupported form. All of them are counted together. */
export const unknownAddress = 'unknown';

interface AddressSettings {
  /** The header in which a proxy passes the client's address; empty without a proxy. */
  OCTAVO_CLIENT_ADDRESS_HEADER?: string;
}

let isReported = false;

/**
 * Returns the client's address from the configured header; undefined without the header. If the header is a list,
 * returns the last entry, which the trusted proxy has appended. The client may have sent the others.
 */
export function readClientAddress(headers: Headers, env: AddressSettings): string | undefined {
  const trusted = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  const value = trusted ? headers.get(trusted) : null;
  if (value === null) return undefined;
  const [, v4, bracketed, plain] = addressPattern.exec(value.split(',').at(-1)?.trim() ?? '') ?? [];
  const address = v4 ?? bracketed ?? plain;
  if (address === undefined && !isReported) {
    isReported = true;
    log('warn', 'the configured header has no client address, so its clients share one rate limit', {
      header: trusted,
    });
  }
  return address ?? unknownAddress;
}

/** Returns the address itself, or for IPv6 its /64 network, which belongs to one subscriber. */
export function getNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(last ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
