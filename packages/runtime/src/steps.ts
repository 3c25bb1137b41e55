import type { CausedEvent, Connection, RowsOf, Statements } from '@octavo/db';
import { commit } from '@octavo/db';
import type { Caller, Endpoint } from '@octavo/schema';
import { authorize, readToken } from './authorize.ts';
import { authorizeTargets } from './authorize-targets.ts';
import type { Authorized } from './authorized.ts';
import type { AuthorizedFor } from './context.ts';
import type { Background, Environment } from './environment.ts';
import type { Reader } from './find-object.ts';
import { unauthenticated } from './find-object.ts';
import { answerOnce, fingerprintOf, readKey } from './idempotency.ts';
import { readInput, readParams } from './input.ts';
import { sendEvents } from './outbox.ts';
import { noteUse, originOf } from './request.ts';
import {
  checkStreamed,
  hasTag,
  notModified,
  readPrecondition,
  respond,
  StreamedJson,
  tagOf,
  tagWith,
  urlsOf,
} from './respond.ts';
import { bringsVisitorToken, readVisitorToken } from './visitor-token.ts';

/** How long what authorization found may be old when the work begins. */
const maxStaleMilliseconds = 250;

export type AnyHandler = (input: unknown, context: unknown) => Promise<unknown>;

/** A request, at the endpoint that its path names. */
interface Arrived {
  /** The key of the endpoint in its contract. */
  name: string;
  endpoint: Endpoint;
  handle: AnyHandler;
  request: Request;
  url: URL;
  /** The parameters of the path, as they are encoded. */
  named: Record<string, string>;
  env: Environment;
  background: Background;
  connection: Connection;
  requestId: string;
}

/** What the steps find out about a request, in the order in which they do. */
interface Known extends Arrived {
  params: Record<string, string> | undefined;
  reader: Reader;
  authorized: Authorized;
  key: string | undefined;
  expected: string[] | undefined;
  input: { query: unknown; body: unknown };
  bytes: Uint8Array<ArrayBuffer>;
  isLate: boolean;
  targets: Awaited<ReturnType<typeof authorizeTargets>>;
  caller: Caller;
  tag: string | undefined;
  response: Response;
}

type Having<Fields extends keyof Known> = Pick<Known, Fields>;

/** All that is done for a request, in this order: each step adds to what is known, or throws what is answered instead. */
export const answering = inSteps<keyof Arrived>()
  .add(readPath)
  .add(readCaller)
  .add(authorizePath)
  .add(readHeaders)
  .add(readQueryAndBody)
  .add(authorizeLate)
  .add(authorizeBody)
  .add(noteCaller)
  .add(tagAnswer)
  .add(handleOnce);

interface Steps<Found extends keyof Known> {
  add<Added extends keyof Known>(
    step: (known: Having<Found>) => Having<Added> | Promise<Having<Added>>,
  ): Steps<Found | Added>;
  take(arrived: Arrived): Promise<Having<Found>>;
}

type Step = (known: Known) => Partial<Known> | Promise<Partial<Known>>;

function inSteps<Found extends keyof Known>(taken: readonly Step[] = []): Steps<Found> {
  return {
    add: (step) => inSteps([...taken, step]),
    async take(arrived) {
      const known: Partial<Known> = { ...arrived };
      for (const step of taken) {
        const found = step(known as Known);
        Object.assign(known, found instanceof Promise ? await found : found);
      }
      return known as Known;
    },
  };
}

function readPath({ endpoint, named }: Arrived) {
  return { params: readParams(endpoint, named) };
}

async function readCaller({ endpoint, request, url, connection, env }: Arrived): Promise<Having<'reader'>> {
  const { db } = connection;
  const authorization = request.headers.get('authorization');
  if (endpoint.access === 'public') return { reader: { db, hash: '' } };
  if (!bringsVisitorToken(authorization)) {
    const shareKey = endpoint.visitors === undefined ? null : url.searchParams.get('shareKey');
    return { reader: { db, hash: await readToken(authorization), ...(shareKey === null ? {} : { shareKey }) } };
  }
  const visitor = await readVisitorToken(env, authorization);
  if (visitor === undefined) throw unauthenticated();
  return { reader: { db, hash: '', visitor } };
}

async function authorizePath({ endpoint, params, reader }: Having<'endpoint' | 'params' | 'reader'>) {
  return { authorized: await authorize(endpoint, params, reader) };
}

/** Keys are kept by who sends them: without a user there is none to keep one by. */
function readHeaders({ endpoint, request, authorized }: Arrived & Having<'authorized'>) {
  const key = authorized.actor === undefined ? undefined : readKey(endpoint, request);
  return { key, expected: readPrecondition(endpoint, request) };
}

async function readQueryAndBody({ endpoint, request, url }: Arrived) {
  const started = Date.now();
  const { bytes, ...input } = await readInput(endpoint, request, url);
  return { bytes, input, isLate: Date.now() - started > maxStaleMilliseconds };
}

/** A client may take its time to send the body, and must not outlive its rights by that. */
function authorizeLate(known: Having<'endpoint' | 'params' | 'reader' | 'authorized' | 'isLate'>) {
  return known.isLate ? authorizePath(known) : { authorized: known.authorized };
}

async function authorizeBody({
  endpoint,
  input,
  authorized,
  reader,
}: Having<'endpoint' | 'input' | 'authorized' | 'reader'>) {
  return { targets: await authorizeTargets(endpoint, input.body, { authorized, reader }) };
}

function noteCaller({ env, background, request, requestId, authorized, key }: Arrived & Having<'authorized' | 'key'>) {
  const { actor } = authorized;
  if (actor !== undefined) noteUse(env, background, actor);
  const origin = originOf(request, actor?.token);
  const { id = '', depth = 0 } = actor ?? {};
  const caller: Caller = { actor: id, requestId, origin, depth, ...(key === undefined ? {} : { key }) };
  return { caller };
}

async function tagAnswer({ endpoint, authorized, url, env }: Arrived & Having<'authorized'>) {
  return { tag: await tagOf(endpoint, authorized, { url, env }) };
}

type Ready = Having<Exclude<keyof Known, 'response'>>;

/** With a key, what follows is done once, and whoever sends the request again gets the first answer. */
async function handleOnce(known: Ready) {
  const { key, name, endpoint, request, url, bytes, requestId } = known;
  if (key === undefined) return { response: await handle(known) };
  const keyed = {
    db: known.reader.db,
    actor: known.caller.actor,
    requestId,
    key,
    operation: name,
    fingerprint: await fingerprintOf(request, url, bytes),
    isSecret: endpoint.secret === true,
    authorizeAgain: async () => authorizeBody({ ...known, ...(await authorizePath(known)) }),
  };
  return { response: await answerOnce(keyed, () => handle(known)) };
}

async function handle(known: Ready): Promise<Response> {
  const { request, tag, params, input } = known;
  if (tag !== undefined && hasTag(request, tag)) return notModified(tag);
  const also: string[] = [];
  const result = await known.handle({ params, ...input }, contextOf(known, also));
  if (result instanceof StreamedJson) return respondStreamed(known, result);
  if (also.length === 0) return respond(known, result);
  const whole = tag && (await tagWith(tag, also));
  if (whole !== undefined && hasTag(request, whole)) return notModified(whole);
  return respond({ ...known, tag: whole, isLasting: false }, result);
}

async function respondStreamed(known: Ready, given: StreamedJson): Promise<Response> {
  const { endpoint, env, request } = known;
  const { tag, body } = given;
  if (tag !== undefined && hasTag(request, tag)) {
    await body.cancel();
    return notModified(tag);
  }
  const result = env.OCTAVO_CHECK_RESPONSES === '1' ? await checkStreamed(endpoint, given) : given;
  return respond({ ...known, tag, isLasting: false }, result);
}

/** What a handler has at hand: what it is authorized for, and what every one has. */
function contextOf({ env, background, connection, requestId, caller, reader, ...known }: Ready, also: string[]) {
  const { db } = connection;
  return {
    ...known.authorized,
    targets: known.targets,
    expected: known.expected,
    env,
    background,
    db,
    absorb: connection.absorb,
    urls: urlsOf(env),
    requestId,
    caller,
    alsoFollowsFrom(what: string | undefined): void {
      if (what !== undefined) also.push(what);
    },
    async commit<Given extends Statements>(statements: Given, events: CausedEvent[]): Promise<RowsOf<Given>> {
      const { rows, waiting } = await commit(db, caller, statements, events);
      sendEvents(env, background, waiting);
      return rows;
    },
    async authorizeFor(other: Endpoint, raw: Record<string, string>): Promise<AuthorizedFor> {
      const params = readParams(other, raw);
      return { ...(await authorize(other, params, reader)), params: params ?? {} };
    },
  };
}
