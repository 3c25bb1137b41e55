import type { RowsOf, Statements } from '@octavo/db';
import { commit, connect } from '@octavo/db';
import type { Caller, Contract, Cost, Endpoint, NewEvent, OperationsOf, Served, Unbuilt } from '@octavo/schema';
import { ApiError, invalid, isApiError, notFound, operationOf, unbuilt } from '@octavo/schema';
import type { IRequest } from 'itty-router';
import { Router } from 'itty-router';
import { authorize, readToken } from './authorize.ts';
import { authorizeTargets } from './authorize-targets.ts';
import type { ActorContext, Handler } from './context.ts';
import type { Background, Environment } from './environment.ts';
import { errorResponse, mayAnswer } from './errors.ts';
import { answerOnce, fingerprintOf, readKey } from './idempotency.ts';
import { readInput, readParams } from './input.ts';
import { locationOf } from './location.ts';
import { noteUse } from './note-use.ts';
import { callerHeader, originOf } from './origin.ts';
import { sendEvents } from './outbox.ts';
import { discardBody } from './read-body.ts';
import { asksForAny, cacheHeaders, hasTag, readPrecondition, tagOf } from './revision-tag.ts';
import { urlsOf } from './urls.ts';

export const requestIdHeader = 'octavo-request-id';
const bookmarkHeader = 'octavo-bookmark';
const testKeyHeader = 'octavo-test-key';
/** How long what authorization found may be old when the work begins. */
const maxStaleMilliseconds = 250;

/** A handler for each operation that is built; one that is missing does not compile. */
export type Handlers<C extends Contract, Env> = {
  [Name in OperationsOf<C> as Name extends Unbuilt ? never : Name]: Handler<Served<C, Name>, Env>;
};

type AnyHandler = (input: unknown, context: unknown) => Promise<unknown>;

/** Makes a worker's `fetch` from its contract and handlers: route, authorize, parse, call, answer. */
export function implement<C extends Contract, Env extends Environment>(contract: C, handlers: Handlers<C, Env>) {
  const router = Router<IRequest, [Env, Background]>({
    catch: (error, request) => errorResponse(error, request.headers.get(requestIdHeader) ?? ''),
  });
  for (const [key, endpoint] of Object.entries(contract)) {
    const handler = (handlers as Record<string, AnyHandler>)[operationOf(key, endpoint)];
    router[endpoint.method.toLowerCase() as 'get'](endpoint.path, (request, env, background) =>
      answer({ key, endpoint, handler }, request, { env, background }),
    );
  }
  router.all('*', () => {
    throw notFound('path');
  });
  return { fetch: (request: Request, env: Env, background: Background) => router.fetch(request, env, background) };
}

interface Operation {
  key: string;
  endpoint: Endpoint;
  handler: AnyHandler | undefined;
}

async function answer(operation: Operation, request: IRequest, worker: { env: Environment; background: Background }) {
  const { endpoint } = operation;
  const { env } = worker;
  const requestId = request.headers.get(requestIdHeader) ?? '';
  const connection = connect(env.DB, {
    intent: endpoint.method === 'GET' ? 'read' : 'write',
    bookmark: bookmarkOf(request),
  });
  let response: Response;
  let isAdmin = false;
  try {
    const answered = await run(operation, request, { ...worker, connection, requestId });
    isAdmin = answered.isAdmin;
    response = answered.response;
    if (answered.actor !== '') response.headers.set(callerHeader, answered.actor);
  } catch (error) {
    const undeclared =
      env.OCTAVO_CHECK_RESPONSES === '1' && isApiError(error) && !mayAnswer(error.type, endpoint.errors);
    const cause = undeclared ? new Error(`${operation.key} may not answer ${error.type}`, { cause: error }) : error;
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

interface Run {
  env: Environment;
  background: Background;
  connection: ReturnType<typeof connect>;
  requestId: string;
}

async function run(operation: Operation, request: IRequest, worker: Run) {
  const { key, endpoint, handler } = operation;
  const { env, background, requestId } = worker;
  const { db } = worker.connection;
  const params = readParams(endpoint, request.params);
  const isPublic = endpoint.access === 'public';
  const reader = { db, hash: isPublic ? '' : await readToken(request.headers.get('authorization')) };
  const before = await authorize(endpoint, params, reader);
  if (unbuilt.has(key) || handler === undefined) throw new ApiError('not_built', `${key} is not built yet.`);
  const claimed = readKey(endpoint, request);
  const expected = readPrecondition(endpoint, request);
  const started = Date.now();
  const { bytes, ...input } = await readInput(endpoint, request);
  // A client may take its time to send the body, and must not outlive its rights by that.
  const isLate = Date.now() - started > maxStaleMilliseconds;
  const authorized = isLate ? await authorize(endpoint, params, reader) : before;
  const targets = await authorizeTargets(endpoint, input.body, { authorized, reader });
  if (authorized.actor !== undefined) noteUse(env, background, authorized.actor);
  const actor = authorized.actor?.id ?? '';
  const tag = await tagOf(endpoint, authorized, { request, env });
  const origin = originOf(request, authorized.actor?.token);
  const caller: Caller = { actor, requestId, origin, ...(claimed === undefined ? {} : { key: claimed }) };
  const authorizeFor: ActorContext['authorizeFor'] = async (other, raw) => {
    const named = readParams(other, raw);
    return { ...(await authorize(other, named, reader)), params: named ?? {} };
  };
  const work = async () => {
    if (tag !== undefined && hasTag(request, tag)) return notModified(tag);
    const context = { ...authorized, targets, expected, ...contextOf(worker, caller), authorizeFor };
    const result = await handler({ params, ...input }, context);
    return respond(endpoint, result, { request, env, tag });
  };
  const isAdmin = authorized.isAdmin === true;
  if (claimed === undefined) return { response: await work(), isAdmin, actor };
  const authorizeAgain = async () => {
    const again = await authorize(endpoint, params, reader);
    return authorizeTargets(endpoint, input.body, { authorized: again, reader });
  };
  const fingerprint = await fingerprintOf(request, bytes);
  const isSecret = endpoint.secret === true;
  const keyed = { db, actor, requestId, key: claimed, operation: key, fingerprint, isSecret, authorizeAgain };
  return { response: await answerOnce(keyed, work), isAdmin, actor };
}

/** What every handler has at hand, whatever it is authorized for. */
function contextOf({ env, background, connection, requestId }: Run, caller: Caller) {
  const { db } = connection;
  return {
    env,
    db,
    absorb: connection.absorb,
    urls: urlsOf(env),
    requestId,
    caller,
    async commit<Given extends Statements>(statements: Given, events: NewEvent[]): Promise<RowsOf<Given>> {
      const { rows, waiting } = await commit(db, caller, statements, events);
      sendEvents(env, background, waiting);
      return rows;
    },
  };
}

function bookmarkOf(request: IRequest): string | undefined {
  const bookmark = request.headers.get(bookmarkHeader);
  if (bookmark === null) return undefined;
  if (!/^[0-9a-f-]{1,128}$/i.test(bookmark))
    throw invalid([{ path: 'headers.octavo-bookmark', message: 'is not a bookmark' }]);
  return bookmark;
}

const notModified = (tag: string): Response => new Response(null, { status: 304, headers: cacheHeaders(tag) });

interface Asked {
  request: IRequest;
  env: Environment;
  tag: string | undefined;
}

function respond(endpoint: Endpoint, result: unknown, { request, env, tag }: Asked) {
  if (endpoint.response === undefined) return new Response(null, { status: endpoint.success });
  if (env.OCTAVO_CHECK_RESPONSES === '1') endpoint.response.parse(result);
  if (tag !== undefined && asksForAny(request)) return notModified(tag);
  const headers = new Headers(tag === undefined ? { 'cache-control': 'private, no-store' } : cacheHeaders(tag));
  if (endpoint.success === 201) {
    const params = readParams(endpoint, request.params) ?? {};
    headers.set('location', locationOf(endpoint, { params, made: result as Record<string, unknown>, env }));
  }
  return Response.json(result, { status: endpoint.success, headers });
}
