import type { Contract, OperationsOf, Served } from '@octavo/schema';
import { notFound, operationOf } from '@octavo/schema';
import type { Handler } from './context.ts';
import type { Background, Environment } from './environment.ts';
import { errorResponse } from './errors.ts';
import { toldOf } from './hand-over.ts';
import type { MatchedRequest } from './handle-request.ts';
import { handleRequest } from './handle-request.ts';
import { RouteTable } from './route-table.ts';

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

/** Returns a worker's `fetch` for its contract. A caller that has already parsed the URL passes it on. */
export function implement<C extends Contract, Env extends Environment>(contract: C, handlers: Handlers<C, Env>) {
  // A handler takes exactly what `handleRequest` reads and authorizes for its endpoint, which no type of a table can say.
  const untyped = handlers as Record<string, MatchedRequest['handle']>;
  const operations = new RouteTable(
    Object.entries(contract).map(([name, endpoint]) => {
      const handle = untyped[operationOf(name, endpoint)];
      if (handle === undefined) throw new TypeError(`No handler serves ${name}.`);
      return { method: endpoint.method, path: endpoint.path, target: { name, endpoint, handle } };
    }),
  );
  return {
    async fetch(request: Request, env: Env, background: Background, url = new URL(request.url)): Promise<Response> {
      const { requestId } = toldOf(request);
      try {
        const found = operations.find(request.method, url.pathname);
        if (found === undefined) throw notFound('path');
        const { target, params } = found;
        return await handleRequest({ ...target, request, url, pathParams: params, env, background, requestId });
      } catch (error) {
        return errorResponse(error, requestId);
      }
    },
  };
}
