import type { UserId } from '@octavo/schema';
import { IttyRouter } from 'itty-router/IttyRouter';

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
const callers = new WeakMap<Response, UserId>();

/**
 * Forwards a request to a worker. The headers of the response can be changed: a response from another isolate is
 * copied.
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
  return new Response(response.body, response);
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

/** Reports to the gateway which user the response is for. */
export function setCallerHeader(request: Request, response: Response, caller: UserId): void {
  if (contexts.has(request)) callers.set(response, caller);
  else response.headers.set(callerHeader, caller);
}

/** Returns the user of the response, if a worker reported it, and removes the header. */
export function takeCaller(response: Response): UserId | undefined {
  const localCaller = callers.get(response);
  if (localCaller !== undefined) return localCaller;
  const caller = response.headers.get(callerHeader);
  if (caller !== null) response.headers.delete(callerHeader);
  return caller ?? undefined;
}

/** A method and path pattern with the target they route to. */
export interface Route<Target> {
  /** `ALL` is any method. */
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

/**
 * Finds the first route that matches a method and a path. itty-router compiles the routes. Its own `fetch` is not used:
 * it parses the URL again, writes into the request, and cannot be called synchronously.
 */
export class RouteMatcher<Target> {
  readonly #routes: (Route<Target> & { pattern: RegExp })[];
  readonly #trailingSlash: 'ignored' | 'refused';

  constructor(routes: readonly Route<Target>[], { trailingSlash }: { trailingSlash: 'ignored' | 'refused' }) {
    this.#trailingSlash = trailingSlash;
    this.#routes = routes.flatMap((route) =>
      IttyRouter()
        .all(route.path)
        .routes.map(([, pattern]) => ({ ...route, pattern })),
    );
  }

  match(method: string, pathname: string): RouteMatch<Target> | undefined {
    for (const route of this.#routes) {
      if (route.method !== method && route.method !== 'ALL') continue;
      const result = route.pattern.exec(pathname);
      if (result !== null && this.#acceptsTrailingSlash(route, pathname))
        return { target: route.target, params: { ...result.groups } };
    }
    return undefined;
  }

  /**
   * Whether a route accepts the trailing slashes of a path. itty-router ignores any number of them, and matches a route
   * that ends in `/*` even if nothing follows the path before it.
   */
  #acceptsTrailingSlash({ path }: Route<Target>, pathname: string): boolean {
    if (path.endsWith('/*')) return pathname.length >= path.length - 1;
    if (path.endsWith('+') || !pathname.endsWith('/')) return true;
    return this.#trailingSlash === 'refused' ? pathname === path : !pathname.endsWith('//');
  }
}
