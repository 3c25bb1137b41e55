import type { CausedEvent, Connection, Database, RowsOf, Statements } from '@octavo/db';
import { batchReads, commit, connect, runBatch } from '@octavo/db';
import type { Caller, Contract, Endpoint, OperationEndpoint, OperationsOf } from '@octavo/schema';
import { getOperationName, isApiError, isWrite, notFound } from '@octavo/schema';
import { authorize, authorizeTargets, readToken } from './authorize.ts';
import type { ActorContext, BaseContext, Handler, ReadingHandler } from './context.ts';
import { createEarlyScope, createScope } from './context.ts';
import type { Background, Environment } from './environment.ts';
import type { Authorized, Reader } from './find-object.ts';
import { unauthenticated } from './find-object.ts';
import { RouteMatcher, readGatewayContext, setCallerHeader } from './forward.ts';
import { computeFingerprint, readKey, respondOnce } from './idempotency.ts';
import { sendEvents } from './outbox.ts';
import { getOrigin, ignoredFieldsHeader, readInput, readParams, recordTokenUse } from './request.ts';
import {
  bookmarkHeader,
  buildHeader,
  createErrorResponse,
  createEtag,
  createNotModified,
  createUrls,
  discardBody,
  extendEtag,
  formatServerTiming,
  hasTag,
  isDeclaredError,
  isMeasured,
  readBookmark,
  readPrecondition,
  respond,
  StreamedJson,
  validateStreamed,
} from './respond.ts';
import { isVisitorToken, readVisitorToken } from './secrets.ts';
import type { ServedPage } from './serve-pages.ts';
import { servePages } from './serve-pages.ts';

/** Authorization results older than this, in milliseconds, are checked again before the handler runs. */
const maxAuthorizationAge = 250;

/** A handler's input depends on its endpoint, which the type of a table cannot express. */
interface UntypedHandler {
  (input: unknown, context: unknown, rows: unknown): unknown;
  reads?: (input: object, scope: object) => Statements | undefined;
}

/** A request with the endpoint that it matched. */
export interface MatchedRequest {
  request: Request;
  url: URL;
  /** The key of the endpoint in its contract. */
  name: string;
  endpoint: Endpoint;
  handle: UntypedHandler;
  /** The parameters of the path, still URL-encoded. */
  pathParams: Record<string, string>;
  env: Environment;
  background: Background;
  requestId: string;
}

interface Result {
  response: Response;
  /** Whether the caller is an admin of the organization that owns the path's object. */
  isAdmin: boolean;
}

/** Runs the operation that a request matched, and returns its response with the headers that report the cost. */
export async function handleRequest(matched: MatchedRequest): Promise<Response> {
  const { endpoint, request, env } = matched;
  const connection = connect(env.DB, {
    intent: isWrite(endpoint) ? 'write' : 'read',
    bookmark: readBookmark(request.headers),
    requiresComplete: true,
  });
  const { response, isAdmin } = await runMatchedRequest(matched, connection).catch((error: unknown) =>
    respondToError(matched, error),
  );
  const isHidden = !isMeasured(request, env) && (hasHiddenRowCounts(endpoint, isAdmin) || response.status === 404);
  response.headers.set('server-timing', formatServerTiming(connection.cost, isHidden));
  const bookmark = connection.bookmark();
  if (bookmark !== null) response.headers.set(bookmarkHeader, bookmark);
  if (env.OCTAVO_BUILD !== undefined) response.headers.set(buildHeader, env.OCTAVO_BUILD);
  return response;
}

/** Reads and authorizes the request, runs its handler and builds the response. @throws ApiError */
async function runMatchedRequest(matched: MatchedRequest, connection: Connection): Promise<Result> {
  const { name, endpoint, request, url, env, requestId } = matched;
  const { db } = connection;
  const params = readParams(endpoint, matched.pathParams);
  const reader = await readCaller(matched, db);
  const reading = mayReadEarly(matched) ? readInput(name, endpoint, request, url) : undefined;
  // An error in the input is reported only after the authorization.
  const early = startReads(matched, params, { input: await reading?.catch(() => undefined), reader });
  let authorized = await authorize(endpoint, params, early?.reader ?? reader);
  // Idempotency keys are stored by user, so a request without a user has no key.
  const key = authorized.actor === undefined ? undefined : readKey(endpoint, request);
  const expected = readPrecondition(endpoint, request);
  const authorizedAt = Date.now();
  const { bytes, ignored, ...input } = await (reading ?? readInput(name, endpoint, request, url));
  // The caller's rights can be revoked during a slow upload, so check them again.
  if (Date.now() - authorizedAt > maxAuthorizationAge) authorized = await authorize(endpoint, params, reader);
  const targets = await authorizeTargets(endpoint, input.body, { authorized, reader });
  const caller = toCaller(matched, authorized, key);
  const tag = await createEtag(endpoint, authorized, { url, env });
  const callWithInput = () =>
    callHandler({ matched, connection, params, input, reader, authorized, targets, expected, caller, tag, early });
  const respondWithKey = async (key: string) => {
    const authorizeAgain = async () =>
      authorizeTargets(endpoint, input.body, { authorized: await authorize(endpoint, params, reader), reader });
    const fingerprint = await computeFingerprint(request, url, bytes);
    const [actor, isSecret] = [caller.actor, endpoint.secret === true];
    return respondOnce(
      { db, actor, requestId, key, operation: name, fingerprint, isSecret, authorizeAgain },
      callWithInput,
    );
  };
  const response = await (key === undefined ? callWithInput() : respondWithKey(key));
  if (ignored.length > 0) response.headers.set(ignoredFieldsHeader, ignored.join(', '));
  if (caller.actor !== '') setCallerHeader(response, caller.actor);
  return { response, isAdmin: authorized.isAdmin === true };
}

/** Maximum size of a body that is read before the caller is authorized. */
const maxEarlyBodyBytes = 64 * 1024;

/** Whether the input is read before the caller is authorized, because the operation's queries depend on it. */
function mayReadEarly({ endpoint, handle, request }: MatchedRequest): boolean {
  if (handle.reads === undefined) return false;
  // A client that already has the response needs no queries.
  if (endpoint.cache !== undefined && request.headers.has('if-none-match')) return false;
  return (
    endpoint.method === 'GET' ||
    Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= maxEarlyBodyBytes
  );
}

interface EarlyReads {
  rows: Promise<unknown>;
  /** The caller, with a database that sends its next queries together with those of the operation. */
  reader: Reader;
}

/**
 * Starts the queries of the operation. Queries that the caller makes with the returned `reader` in the same tick are
 * sent in the same round trip. If the queries depend on the result of the authorization, or if the input is invalid,
 * nothing is started. An invalid input is reported after the authorization.
 */
function startReads(
  { endpoint, handle: { reads } }: MatchedRequest,
  params: Record<string, string> | undefined,
  { input, reader }: { input: object | undefined; reader: Reader },
): EarlyReads | undefined {
  const scope = params && createEarlyScope(endpoint, params, reader);
  if (reads === undefined || scope === undefined || input === undefined) return undefined;
  try {
    const statements = reads({ ...input, params }, scope);
    if (statements === undefined) return undefined;
    const db = batchReads(reader.db, queueMicrotask);
    const rows = runBatch(db, statements);
    // If the batch fails, the authorization fails with the same error, so the error is not handled here.
    rows.catch(() => undefined);
    return { rows, reader: { ...reader, db } };
  } catch (error) {
    if (isApiError(error)) return undefined;
    throw error;
  }
}

async function readCaller({ endpoint, request, url, env }: MatchedRequest, db: Database): Promise<Reader> {
  const authorization = request.headers.get('authorization');
  if (endpoint.access === 'public') return { db, hash: '' };
  if (!isVisitorToken(authorization)) {
    const shareKey = endpoint.visitors === undefined ? null : url.searchParams.get('shareKey');
    return { db, hash: await readToken(authorization), ...(shareKey === null ? {} : { shareKey }) };
  }
  const visitor = await readVisitorToken(env, authorization);
  if (visitor === undefined) throw unauthenticated('unknown');
  return { db, hash: '', visitor };
}

/** Returns the caller as commits and services record it, and records the use of its token. */
function toCaller(
  { env, background, request, requestId }: MatchedRequest,
  { actor }: Authorized,
  key: string | undefined,
): Caller {
  if (actor !== undefined) recordTokenUse(env, background, actor);
  const origin = getOrigin(request, actor?.token);
  const { id = '', depth = 0 } = actor ?? {};
  return { actor: id, requestId, origin, depth, ...(key === undefined ? {} : { key }) };
}

/** A request that is read and authorized. */
interface AuthorizedRequest {
  matched: MatchedRequest;
  connection: Connection;
  params: Record<string, string> | undefined;
  input: { query: unknown; body: unknown };
  reader: Reader;
  authorized: Authorized;
  targets: Awaited<ReturnType<typeof authorizeTargets>>;
  expected: string[] | undefined;
  caller: Caller;
  /** The ETag, if it is known before the handler runs. */
  tag: string | undefined;
  early: EarlyReads | undefined;
}

async function callHandler(ready: AuthorizedRequest): Promise<Response> {
  const { matched, params, input, authorized, tag, early, connection } = ready;
  const { endpoint, request, env, handle } = matched;
  if (tag !== undefined && hasTag(request, tag)) return createNotModified(tag);
  const etagSources: string[] = [];
  const handlerInput = { params, ...input };
  // The roles of integrations are limited after the authorization, so their queries are sent only now, with the values
  // that the authorization has found.
  const isEarly = early !== undefined && authorized.actor?.integration == null;
  const queryLater = () => runBatch(connection.db, handle.reads?.(handlerInput, createScope(authorized)) ?? []);
  const rows = handle.reads && (await (isEarly ? early.rows : queryLater()));
  const result = await handle(handlerInput, createContext(ready, etagSources), rows);
  const callInput = { endpoint, request, env, params, authorized };
  if (result instanceof StreamedJson) {
    if (result.tag !== undefined && hasTag(request, result.tag)) {
      await result.body.cancel();
      return createNotModified(result.tag);
    }
    const checked = env.OCTAVO_CHECK_RESPONSES === '1' ? await validateStreamed(endpoint, result) : result;
    return respond({ ...callInput, tag: result.tag, isLasting: false }, checked);
  }
  if (etagSources.length === 0) return respond({ ...callInput, tag }, result);
  const fullTag = tag && (await extendEtag(tag, etagSources));
  if (fullTag !== undefined && hasTag(request, fullTag)) return createNotModified(fullTag);
  return respond({ ...callInput, tag: fullTag, isLasting: false }, result);
}

/** Returns the context of a handler: the objects that authorization found, and the tools that every handler has. */
function createContext(
  { matched, connection, reader, authorized, targets, expected, caller }: AuthorizedRequest,
  etagSources: string[],
) {
  const { env, background, requestId } = matched;
  const { db } = connection;
  return {
    ...authorized,
    targets,
    expected,
    env,
    background,
    db,
    callWorker: connection.callWorker,
    urls: createUrls(env),
    requestId,
    caller,
    addToEtag(part) {
      if (part !== undefined) etagSources.push(part);
    },
    async commit<Given extends Statements>(statements: Given, events: CausedEvent[]): Promise<RowsOf<Given>> {
      const { rows, messages } = await commit(db, caller, statements, events);
      sendEvents(env, background, messages);
      return rows;
    },
    async authorizeOther(other, raw) {
      const params = readParams(other, raw);
      return { ...(await authorize(other, params, reader)), params: params ?? {} };
    },
  } satisfies BaseContext<Environment> & Omit<ActorContext, 'actor'> & Pick<AuthorizedRequest, 'targets' | 'expected'>;
}

/** Returns the response for an error, and reads the rest of the body so that the client receives it. */
async function respondToError(
  { name, endpoint, request, env, requestId }: MatchedRequest,
  error: unknown,
): Promise<Result> {
  const isUndeclared =
    env.OCTAVO_CHECK_RESPONSES === '1' && isApiError(error) && !isDeclaredError(error.type, endpoint.errors);
  const cause = isUndeclared ? new Error(`${name} does not declare the error ${error.type}`, { cause: error }) : error;
  const response = createErrorResponse(cause, requestId);
  await discardBody(request);
  return { response, isAdmin: false };
}

const hasHiddenRowCounts = ({ hidesCost }: Endpoint, isAdmin: boolean): boolean =>
  hidesCost === 'from-all' || (hidesCost === 'from-members' && !isAdmin);

/** The handler of each operation. The type requires all of them. */
export type Handlers<C extends Contract, Env> = {
  [Name in OperationsOf<C>]: Handler<OperationEndpoint<C, Name>, Env>;
};

/**
 * Returns `handler`, which types the function that serves an operation by the contract `C` and the worker's bindings
 * `Env`. Call it once for each worker.
 */
export function createHandlerFactory<C extends Contract, Env>() {
  type HandlerOf<Name extends OperationsOf<C>> = Handler<OperationEndpoint<C, Name>, Env>;
  function handler<Name extends OperationsOf<C>>(name: Name, handle: HandlerOf<Name>): HandlerOf<Name>;
  function handler<Name extends OperationsOf<C>, const Given extends Statements>(
    name: Name,
    operation: ReadingHandler<OperationEndpoint<C, Name>, Env, Given>,
  ): HandlerOf<Name>;
  function handler(_name: string, operation: object): object {
    if (!('reads' in operation && 'handle' in operation)) return operation;
    return Object.assign(operation.handle as object, { reads: operation.reads });
  }
  return { handler };
}

/** Returns a worker's `fetch`: operations of its contract below `/v1`, and pages everywhere else. */
export function implement<C extends Contract, Env extends Environment>(
  contract: C,
  handlers: Handlers<C, Env>,
  pages: ServedPage<Env>[] = [],
) {
  // A handler's input depends on its endpoint, which the type of a table cannot express.
  const untyped = handlers as Record<string, MatchedRequest['handle']>;
  const operations = Object.entries(contract).map(([name, endpoint]) => {
    const handle = untyped[getOperationName(name, endpoint)];
    if (handle === undefined) throw new TypeError(`The operation ${name} has no handler.`);
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
        const match = target ? { target, params: operation.params } : matcher.match(request.method, pathname);
        if (match === undefined) throw notFound('path');
        const matched = { ...match.target, pathParams: match.params };
        return await handleRequest({ ...matched, request, url, env, background, requestId });
      } catch (error) {
        return createErrorResponse(error, requestId);
      }
    },
  };
}
