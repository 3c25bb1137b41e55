import type { Contract, OperationsOf, Served } from '@octavo/schema';
import { notFound, operationOf } from '@octavo/schema';
import type { Handler } from './context.ts';
import type { Background, Environment } from './environment.ts';
import { errorResponse } from './errors.ts';
import { readGatewayContext } from './forward.ts';
import type { MatchedRequest } from './handle-request.ts';
import { handleRequest } from './handle-request.ts';
import { RouteMatcher } from './route-matcher.ts';
import type { ServedPage } from './serve-pages.ts';
import { servePages } from './serve-pages.ts';

/** A handler for each operation; a missing one does not compile. */
export type Handlers<C extends Contract, Env> = {
  [Name in OperationsOf<C>]: Handler<Served<C, Name>, Env>;
};

/**
 * Returns `handler`, which gives the function that serves an operation the types of the contract `C` and of the
 * worker's bindings `Env`. Call it once for each worker.
 */
export const handlersFor = <C extends Contract, Env>() => ({
  handler: <Name extends OperationsOf<C>>(_name: Name, handle: Handler<Served<C, Name>, Env>) => handle,
});

/** Returns a worker's `fetch`: operations of its contract below `/v1`, and pages everywhere else. */
export function implement<C extends Contract, Env extends Environment>(
  contract: C,
  handlers: Handlers<C, Env>,
  pages: ServedPage<Env>[] = [],
) {
  // A handler takes what `handleRequest` reads and authorizes for its endpoint, which the type of a table cannot express.
  const untyped = handlers as Record<string, MatchedRequest['handle']>;
  const operations = Object.entries(contract).map(([name, endpoint]) => {
    const handle = untyped[operationOf(name, endpoint)];
    if (handle === undefined) throw new TypeError(`No handler serves ${name}.`);
    return { method: endpoint.method, path: endpoint.path, target: { name, endpoint, handle } };
  });
  const byName = new Map(operations.map(({ target }) => [target.name, target]));
  const matcher = new RouteMatcher(operations, { trailingSlash: 'ignored' });
  const servePage = servePages(pages);
  return {
    async fetch(request: Request, env: Env, background: Background): Promise<Response> {
      const { requestId, operation, url = new URL(request.url) } = readGatewayContext(request);
      const { pathname } = url;
      if (!/^\/v1(?:\/|$)/.test(pathname)) return servePage(request, pathname, env, background);
      try {
        const target = operation && byName.get(operation.name);
        const found = target ? { target, params: operation.params } : matcher.match(request.method, pathname);
        if (found === undefined) throw notFound('path');
        const matched = { ...found.target, pathParams: found.params };
        return await handleRequest({ ...matched, request, url, env, background, requestId });
      } catch (error) {
        return errorResponse(error, requestId);
      }
    },
  };
}
