import type { UserId } from '@octavo/schema';

/** Names the request, for logs and answers. */
export const requestIdHeader = 'octavo-request-id';
/** The client's address as the gateway found it; it takes away what a client sends under this name. */
export const clientAddressHeader = 'octavo-client-address';
/** The id of the user that an answer is for, told to the gateway, which takes it away. */
const callerHeader = 'octavo-caller';
/** Tells a request for a page of a site. */
const siteHeader = 'octavo-site';

/** What the gateway tells a worker of a request. */
export interface Told {
  requestId: string;
  /** The client's address, where it is known. */
  address: string | undefined;
  /** Whether it asks for a page of a site, and is none of the API. */
  isOfSite?: boolean;
}

/** A worker that runs in the isolate of the gateway, which calls it without copying what it gives and takes. */
export abstract class InProcessWorker {
  abstract fetch(request: Request): Promise<Response> | Response;
}

const told = new WeakMap<Request, Told>();
const callers = new WeakMap<Response, UserId>();

/** Has a worker answer, whose answer has headers that can be changed: one from elsewhere is copied, as is what it gets. */
export async function handOver(request: Request, worker: Fetcher | InProcessWorker, known: Told): Promise<Response> {
  if (worker instanceof InProcessWorker) {
    told.set(request, known);
    return worker.fetch(request);
  }
  const sent = new Request(request);
  sent.headers.set(requestIdHeader, known.requestId);
  if (known.address === undefined) sent.headers.delete(clientAddressHeader);
  else sent.headers.set(clientAddressHeader, known.address);
  if (known.isOfSite === true) sent.headers.set(siteHeader, '1');
  else sent.headers.delete(siteHeader);
  const response = await worker.fetch(sent);
  return new Response(response.body, response);
}

/** What the gateway told of a request: in headers, unless it runs here; then no header that came along is believed. */
export const toldOf = (request: Request): Told =>
  told.get(request) ?? {
    requestId: request.headers.get(requestIdHeader) ?? '',
    address: request.headers.get(clientAddressHeader) ?? undefined,
    isOfSite: request.headers.get(siteHeader) === '1',
  };

/** Tells the gateway who was answered. */
export function tellCaller(request: Request, response: Response, caller: UserId): void {
  if (told.has(request)) callers.set(response, caller);
  else response.headers.set(callerHeader, caller);
}

/** Who was answered, where that is told; it is told no further. */
export function takeCaller(response: Response): UserId | undefined {
  const here = callers.get(response);
  if (here !== undefined) return here;
  const caller = response.headers.get(callerHeader);
  if (caller !== null) response.headers.delete(callerHeader);
  return caller ?? undefined;
}
