import { connect } from '@octavo/db';
import type { Contract, Endpoint, OperationsOf, Served } from '@octavo/schema';
import { isApiError, notFound, operationOf } from '@octavo/schema';
import type { Handler } from './context.ts';
import { bookmarkHeader, bookmarkOf, serverTiming, testKeyHeader } from './cost-headers.ts';
import type { Background, Environment } from './environment.ts';
import { errorResponse, mayAnswer } from './errors.ts';
import { tellCaller, toldOf } from './hand-over.ts';
import { discardBody } from './request.ts';
import { RouteTable } from './route-table.ts';
import type { AnyHandler } from './steps.ts';
import { answering } from './steps.ts';

/** A handler for each operation; one that is missing does not compile. */
export type Handlers<C extends Contract, Env> = {
  [Name in OperationsOf<C>]: Handler<Served<C, Name>, Env>;
};

/** Makes a worker's `fetch` from its contract and handlers; who has read the request's URL hands it on. */
export function implement<C extends Contract, Env extends Environment>(contract: C, handlers: Handlers<C, Env>) {
  const operations = new RouteTable(
    Object.entries(contract).map(([name, endpoint]) => {
      const handle = (handlers as Record<string, AnyHandler>)[operationOf(name, endpoint)];
      if (handle === undefined) throw new TypeError(`Nothing serves ${name}.`);
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
        return await answer({ ...target, request, url, named: params, env, background, requestId });
      } catch (error) {
        return errorResponse(error, requestId);
      }
    },
  };
}

interface Asked {
  name: string;
  endpoint: Endpoint;
  handle: AnyHandler;
  request: Request;
  url: URL;
  named: Record<string, string>;
  env: Environment;
  background: Background;
  requestId: string;
}

async function answer(asked: Asked): Promise<Response> {
  const { name, endpoint, request, env, requestId } = asked;
  const connection = connect(env.DB, {
    intent: endpoint.method === 'GET' ? 'read' : 'write',
    bookmark: bookmarkOf(request.headers),
  });
  let response: Response;
  let isAdmin = false;
  try {
    const known = await answering.take({ ...asked, connection });
    isAdmin = known.authorized.isAdmin === true;
    response = known.response;
    if (known.caller.actor !== '') tellCaller(request, response, known.caller.actor);
  } catch (error) {
    const undeclared =
      env.OCTAVO_CHECK_RESPONSES === '1' && isApiError(error) && !mayAnswer(error.type, endpoint.errors);
    const cause = undeclared ? new Error(`${name} may not answer ${error.type}`, { cause: error }) : error;
    response = errorResponse(cause, requestId);
    await discardBody(request);
  }
  response.headers.set(
    'server-timing',
    serverTiming(
      connection.cost,
      !isMeasured(request, env) && (hidesRows(endpoint, isAdmin) || response.status === 404),
    ),
  );
  const bookmark = connection.bookmark();
  if (bookmark !== null) response.headers.set(bookmarkHeader, bookmark);
  return response;
}

const isMeasured = ({ headers }: Request, { OCTAVO_TEST_KEY: key }: Environment): boolean =>
  key !== undefined && key !== '' && headers.get(testKeyHeader) === key;

const hidesRows = ({ hidesCost }: Endpoint, isAdmin: boolean): boolean =>
  hidesCost === 'from-all' || (hidesCost === 'from-members' && !isAdmin);
