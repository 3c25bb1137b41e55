import type { UserId } from '@octavo/schema';

/** Names the request in logs and responses. */
export const requestIdHeader = 'octavo-request-id';
/** The client's address as the gateway determined it. */
const clientAddressHeader = 'octavo-client-address';
/** The id of the user a response is for. The gateway removes it. */
const callerHeader = 'octavo-caller';
/** Marks a request for a page of a site. */
const siteHeader = 'octavo-site';
/** The operation that the gateway matched, with its parameters, as JSON. */
const operationHeader = 'octavo-operation';

/** An operation of the API with the parameters of the path, as they are encoded there. */
interface MatchedOperation {
  name: string;
  params: Record<string, string>;
}

/** What the gateway found out about a request that it forwards. */
interface GatewayContext {
  requestId: string;
  /** The client's address, if it is known. */
  address: string | undefined;
  /** Whether the request is for a page of a site and not for the API. */
  isOfSite?: boolean;
  /** The operation that the gateway matched. Without it the worker matches the path itself. */
  operation?: MatchedOperation | undefined;
  /** The parsed URL of the request, within one isolate. */
  url?: URL | undefined;
}

/** A worker that runs in the isolate of the gateway, which calls it without copying requests and responses. */
export abstract class InProcessWorker {
  abstract fetch(request: Request): Promise<Response> | Response;
}

const contexts = new WeakMap<Request, GatewayContext>();
const callers = new WeakMap<Response, UserId>();

/** Forwards a request to a worker. The headers of the response can be changed: a response from another isolate is copied. */
export async function forward(
  request: Request,
  worker: Fetcher | InProcessWorker,
  context: GatewayContext,
): Promise<Response> {
  if (worker instanceof InProcessWorker) {
    contexts.set(request, context);
    return worker.fetch(request);
  }
  const sent = new Request(request);
  // A header of these names that the client sent is replaced or removed.
  const set = (name: string, value: string | undefined) =>
    value === undefined ? sent.headers.delete(name) : sent.headers.set(name, value);
  set(requestIdHeader, context.requestId);
  set(clientAddressHeader, context.address);
  set(siteHeader, context.isOfSite === true ? '1' : undefined);
  set(operationHeader, context.operation && JSON.stringify(context.operation));
  const response = await worker.fetch(sent);
  return new Response(response.body, response);
}

/** Reads the context of a forwarded request. Within one isolate it is not read from headers, which a client could send. */
export const readGatewayContext = (request: Request): GatewayContext =>
  contexts.get(request) ?? {
    requestId: request.headers.get(requestIdHeader) ?? '',
    address: request.headers.get(clientAddressHeader) ?? undefined,
    isOfSite: request.headers.get(siteHeader) === '1',
    operation: operationOf(request.headers.get(operationHeader)),
  };

const operationOf = (text: string | null): MatchedOperation | undefined =>
  text === null ? undefined : (JSON.parse(text) as MatchedOperation);

/** Reports to the gateway whom the response is for. */
export function setCallerHeader(request: Request, response: Response, caller: UserId): void {
  if (contexts.has(request)) callers.set(response, caller);
  else response.headers.set(callerHeader, caller);
}

/** Returns whom a response is for, if a worker reported it, and removes the header. */
export function takeCaller(response: Response): UserId | undefined {
  const here = callers.get(response);
  if (here !== undefined) return here;
  const caller = response.headers.get(callerHeader);
  if (caller !== null) response.headers.delete(callerHeader);
  return caller ?? undefined;
}
