import { connect } from '@octavo/db';
import type { Contract, Cost, Endpoint, OperationsOf, Served, Unbuilt } from '@octavo/schema';
import { invalid, isApiError, notFound, operationOf } from '@octavo/schema';
import type { IRequest } from 'itty-router';
import { Router } from 'itty-router';
import type { Handler } from './context.ts';
import type { Background, Environment } from './environment.ts';
import { errorResponse, mayAnswer } from './errors.ts';
import { callerHeader, discardBody, requestIdHeader } from './request.ts';
import type { AnyHandler } from './steps.ts';
import { answering } from './steps.ts';

const bookmarkHeader = 'octavo-bookmark';
const testKeyHeader = 'octavo-test-key';

/** A handler for each operation that is built; one that is missing does not compile. */
export type Handlers<C extends Contract, Env> = {
  [Name in OperationsOf<C> as Name extends Unbuilt ? never : Name]: Handler<Served<C, Name>, Env>;
};

/** Makes a worker's `fetch` from its contract and handlers. */
export function implement<C extends Contract, Env extends Environment>(contract: C, handlers: Handlers<C, Env>) {
  const router = Router<IRequest, [Env, Background]>({
    catch: (error, request) => errorResponse(error, request.headers.get(requestIdHeader) ?? ''),
  });
  for (const [name, endpoint] of Object.entries(contract)) {
    const handler = (handlers as Record<string, AnyHandler>)[operationOf(name, endpoint)];
    router[endpoint.method.toLowerCase() as 'get'](endpoint.path, (request, env, background) =>
      answer({ name, endpoint, handler, request, env, background }),
    );
  }
  router.all('*', () => {
    throw notFound('path');
  });
  return { fetch: (request: Request, env: Env, background: Background) => router.fetch(request, env, background) };
}

interface Asked {
  name: string;
  endpoint: Endpoint;
  handler: AnyHandler | undefined;
  request: IRequest;
  env: Environment;
  background: Background;
}

async function answer(asked: Asked): Promise<Response> {
  const { name, endpoint, request, env } = asked;
  const requestId = request.headers.get(requestIdHeader) ?? '';
  const connection = connect(env.DB, {
    intent: endpoint.method === 'GET' ? 'read' : 'write',
    bookmark: bookmarkOf(request),
  });
  let response: Response;
  let isAdmin = false;
  try {
    const known = await answering.take({ ...asked, connection, requestId });
    isAdmin = known.authorized.isAdmin === true;
    response = known.response;
    if (known.caller.actor !== '') response.headers.set(callerHeader, known.caller.actor);
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

/** A 404 has no counts of rows: they would tell a stranger that what is hidden exists. */
function serverTiming({ trips, rowsRead, rowsWritten }: Cost, isHidden: boolean): string {
  const calls = `d1-trips;desc="${trips}"`;
  return isHidden ? calls : `${calls}, d1-rows-read;desc="${rowsRead}", d1-rows-written;desc="${rowsWritten}"`;
}

function bookmarkOf(request: IRequest): string | undefined {
  const bookmark = request.headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!/^[0-9a-f-]{1,128}$/i.test(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'is not a bookmark' }]);
  return bookmark;
}
